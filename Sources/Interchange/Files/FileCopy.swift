import Foundation

/// Copies the bytes of open files.
package enum FileCopy {
  /// Bytes that are mapped and written at a time.
  private static let stretch = 32 << 20
  /// Bytes that are read and written at a time: they stay in the processor's cache in between.
  private static let piece = 256 << 10

  /// Copies everything from the start of a file that cannot change meanwhile, and sees the copy onto the disk.
  ///
  /// Mapped pages of the one are written to the other, so they are copied once. What is on the disk is not kept in
  /// memory: it is not read soon, and the memory is needed elsewhere.
  /// - Throws: `RunFailure` with status 2 and the system's reason.
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
      try write(UnsafeRawBufferPointer(start: pages, count: count), to: target, at: at)
      guard fsync(target) == 0 else { throw RunFailure(.failed, SystemError.last) }
      #if canImport(Glibc)
        posix_fadvise(target, off_t(at), off_t(count), Int32(POSIX_FADV_DONTNEED))
      #endif
      at += count
    }
  }

  /// Copies everything from the start of a file that others may be changing. The copy is not synced.
  /// - Throws: `RunFailure` with status 2 and the system's reason.
  package static func copyUnsynced(from source: Int32, to target: Int32) throws(RunFailure) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 4096)
    defer { room.deallocate() }
    var at = 0
    while true {
      let got = pread(source, room.baseAddress, room.count, off_t(at))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, SystemError.last) }
      if got == 0 { return }
      try write(UnsafeRawBufferPointer(rebasing: room[..<got]), to: target, at: at)
      at += got
    }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to target: Int32, at: Int) throws(RunFailure) {
    var done = 0
    while done < bytes.count {
      let wrote = pwrite(target, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(at + done))
      if wrote < 0, errno == EINTR { continue }
      guard wrote > 0 else { throw RunFailure(.failed, SystemError.last) }
      done += wrote
    }
  }
}
