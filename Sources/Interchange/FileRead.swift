import Content
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's own `read`, under a name that no method of a type hides.
package enum FileRead {
  /// Reads the bytes that are available, at most as many as fit into `room`. Tries again after an interruption by a
  /// signal.
  /// - Returns: The number of bytes read, 0 at the end, a negative number for an error given by `errno`.
  package static func some(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let got = read(descriptor, room.baseAddress, room.count)
      if got >= 0 || errno != EINTR { return got }
    }
  }

  /// Returns the size of the file at a path in bytes; nil if it cannot be determined.
  package static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}

/// A file whose bytes are read as needed and not kept, so that memory does not grow with the file.
///
/// Another process must not shorten the file meanwhile.
package final class MappedFile: @unchecked Sendable {
  /// The bytes, which are valid as long as this object.
  package let bytes: UnsafeRawBufferPointer
  private let count = Atomic<Int>(0)
  /// The number of bytes after which pages are released.
  private static let most = 4 << 20

  /// Opens a file.
  /// - Throws: `RunFailure` with status 2 and the system's reason.
  package init(_ path: String) throws(RunFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      throw RunFailure(.failed, "read '\(path)': \(SystemError.last)")
    }
    defer { close(descriptor) }
    let size = Int(status.st_size)
    let pages = size > 0 ? mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : nil
    guard size == 0 || pages != MAP_FAILED else {
      throw RunFailure(.failed, "read '\(path)': \(SystemError.last)")
    }
    bytes = UnsafeRawBufferPointer(start: pages, count: size)
  }

  deinit {
    if let pages = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: pages), bytes.count) }
  }

  /// Data with the file's bytes, which keeps the file open.
  package var data: Data {
    guard let pages = bytes.baseAddress else { return Data() }
    return Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: pages), count: bytes.count,
      deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
  }

  /// Counts bytes that were read. From time to time, the memory of these bytes is released. If they are needed again,
  /// they are read from the file again.
  package func used(_ read: Int) {
    guard count.add(read, ordering: .relaxed).newValue > Self.most, let pages = bytes.baseAddress else { return }
    count.store(0, ordering: .relaxed)
    madvise(UnsafeMutableRawPointer(mutating: pages), bytes.count, MADV_DONTNEED)
  }
}

/// Copies the bytes of open files.
package enum FileCopy {
  /// The number of bytes that are mapped and written at a time.
  private static let stretch = 32 << 20
  /// The number of bytes that are read and written at a time, which stay in the processor's cache in between.
  private static let piece = 256 << 10

  /// Copies everything from the start of a file that cannot change meanwhile, and syncs the copy to the disk.
  ///
  /// Mapped pages of the source are written to the target, so the bytes are copied once. Bytes that are on disk are not
  /// kept in memory, because they will not be read soon and the memory is needed elsewhere.
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
      try write(UnsafeRawBufferPointer(start: pages, count: count).bytes, to: target, at: at)
      guard fsync(target) == 0 else { throw RunFailure(.failed, SystemError.last) }
      #if canImport(Glibc)
        posix_fadvise(target, off_t(at), off_t(count), Int32(POSIX_FADV_DONTNEED))
      #endif
      at += count
    }
  }

  /// Copies everything from the start of a file that other programs may be changing. The copy is not synced.
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
      try write(room.bytes.extracting(first: got), to: target, at: at)
      at += got
    }
  }

  private static func write(_ bytes: RawSpan, to target: Int32, at: Int) throws(RunFailure) {
    var done = 0
    while done < bytes.byteCount {
      let wrote = bytes.extracting(droppingFirst: done).withUnsafeBytes {
        pwrite(target, $0.baseAddress, $0.count, off_t(at + done))
      }
      if wrote < 0, errno == EINTR { continue }
      guard wrote > 0 else { throw RunFailure(.failed, SystemError.last) }
      done += wrote
    }
  }
}

/// Computes the SHA-256 of files, read piece by piece.
package enum FileDigest {
  /// Returns the checksum of a whole file in lower-case hexadecimal digits.
  /// - Parameter onProgress: called after each piece with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package static func sha256(of path: String, onProgress: ((Int, Int) -> Void)? = nil) throws -> String {
    // Without O_NONBLOCK, opening a pipe without a writer would block forever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    return try sha256(of: descriptor, named: path, onProgress: onProgress)
  }

  /// Returns the checksum of an open file, from its beginning to its end.
  /// - Parameter path: the name of the file in messages.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package static func sha256(
    of descriptor: Int32, named path: String, onProgress: ((Int, Int) -> Void)? = nil
  ) throws -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    var digest = DigestStream()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { piece.deallocate() }
    var done = 0
    while true {
      try Interruption.check()
      let got = pread(descriptor, piece.baseAddress, piece.count, off_t(done))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { return Digest.hex(digest.finish()) }
      digest.update(piece.bindMemory(to: UInt8.self).span.extracting(first: got))
      done += got
      onProgress?(done, Int(status.st_size))
    }
  }
}

/// The state of a file at a moment, used to detect whether the file was changed or replaced since.
public struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// Records the state of a file, following links; nil if the file does not exist.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}

/// Stores standard input in a file.
package enum StandardInput {
  /// Copies standard input to a file.
  /// - Throws: `RunFailure` if standard input cannot be read, or the disk is full.
  package static func copy(to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw RunFailure(.failed, "make a temporary file: \(SystemError.last)") }
    defer { close(file) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { room.deallocate() }
    let sink = ByteSink(descriptor: file, name: path)
    while true {
      try Interruption.check()
      let got = FileRead.some(0, into: room)
      guard got >= 0 else { throw RunFailure(.failed, "read standard input: \(SystemError.last)") }
      if got == 0 { return try sink.flush() }
      try sink.write(room.bindMemory(to: UInt8.self).span.extracting(first: got))
    }
  }
}
