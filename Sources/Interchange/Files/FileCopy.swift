import Foundation

/// Copies the bytes of open files: mapped pages of the one are written to the other, so they are copied once.
package enum FileCopy {
  /// Bytes that are mapped and written at a time.
  private static let stretch = 32 << 20

  /// Copies everything from the start of one file to another and sees it onto the disk.
  ///
  /// What is on the disk is not kept in memory: nobody reads the copy soon, and the memory is needed elsewhere.
  /// - Throws: `RunFailure` with status 2 that says what the system said.
  package static func copy(from source: Int32, to target: Int32) throws(RunFailure) {
    var status = stat()
    guard fstat(source, &status) == 0 else { throw RunFailure(.failed, SystemError.last) }
    var at = 0
    while at < Int(status.st_size) {
      let count = min(stretch, Int(status.st_size) - at)
      guard let pages = mmap(nil, count, PROT_READ, MAP_SHARED, source, off_t(at)), pages != MAP_FAILED else {
        throw RunFailure(.failed, SystemError.last)
      }
      defer { munmap(pages, count) }
      var done = 0
      while done < count {
        let wrote = pwrite(target, pages + done, count - done, off_t(at + done))
        guard wrote > 0 else { throw RunFailure(.failed, SystemError.last) }
        done += wrote
      }
      guard fsync(target) == 0 else { throw RunFailure(.failed, SystemError.last) }
      #if canImport(Glibc)
        posix_fadvise(target, off_t(at), off_t(count), Int32(POSIX_FADV_DONTNEED))
      #endif
      at += count
    }
  }
}
