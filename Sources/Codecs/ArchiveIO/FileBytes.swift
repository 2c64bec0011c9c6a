import Foundation
import Interchange

/// Reads and writes the bytes of open files. Every error names the file.
package enum FileBytes {
  /// Writes all bytes at the file's current position.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  package static func write(_ bytes: RawSpan, to descriptor: Int32, name: String) throws {
    var at = 0
    while at < bytes.byteCount {
      let sent = bytes.extracting(droppingFirst: at).withUnsafeBytes { rest in
        #if canImport(Glibc)
          Glibc.write(descriptor, rest.baseAddress, rest.count)
        #else
          Darwin.write(descriptor, rest.baseAddress, rest.count)
        #endif
      }
      if sent < 0 {
        if errno == EINTR { continue }
        throw RunFailure(
          .failed, "write '\(name)': \(SystemError.last)",
          advice: errno == ENOSPC ? "Free some space and run the command again; nothing was changed." : nil)
      }
      at += sent
    }
  }

  /// Copies the first bytes of one open file to the current position of another.
  /// - Throws: `RunFailure` with status 2.
  package static func copy(_ count: Int, from source: Int32, to target: Int32, name: String) throws {
    // The buffer stays in the processor's cache between reading and writing.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { room.deallocate() }
    var at = 0
    while at < count {
      try Interruption.check()
      let got = pread(source, room.baseAddress, min(room.count, count - at), off_t(at))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw RunFailure(.failed, "write '\(name)': \(got < 0 ? SystemError.last : "it got shorter")")
      }
      try write(room.bytes.extracting(first: got), to: target, name: name)
      at += got
    }
  }

  /// Opens a regular file for reading. A pipe or device is rejected.
  /// - Throws: `RunFailure` with status 2.
  package static func open(_ path: String, follows: Bool = true) throws -> (descriptor: Int32, size: Int) {
    // Without O_NONBLOCK, opening a pipe that has no writer would wait forever.
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RunFailure(.failed, "read '\(path)': not a regular file")
    }
    return (descriptor, Int(status.st_size))
  }

  /// Creates a new file that only its owner can read.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be created.
  package static func create(_ path: String) throws -> Int32 {
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw RunFailure(errno == EEXIST ? .refused : .failed, "write '\(path)': \(SystemError.last)")
    }
    return descriptor
  }

  /// Creates a file that only its owner can read and that no longer has a name.
  /// - Parameter folder: the folder in whose file system the bytes are stored.
  /// - Throws: `RunFailure` with status 2.
  package static func unnamed(in folder: String) throws -> Int32 {
    let path = "\(folder)/.fleetkit-\(getpid())-\(UInt64.random(in: .min ... .max)).tmp"
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw RunFailure(
        .failed, "make a temporary file in '\(folder)': \(SystemError.last)",
        advice: "Set TMPDIR to a writable folder.")
    }
    unlink(path)
    return descriptor
  }
}
