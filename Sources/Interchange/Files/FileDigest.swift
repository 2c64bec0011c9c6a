import Content
import Foundation

/// SHA-256 of files, read piece by piece.
package enum FileDigest {
  /// The checksum of a whole file in lower-case hexadecimal digits.
  /// - Parameter onProgress: called after each piece with bytes read and bytes in all.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package static func sha256(of path: String, onProgress: ((Int, Int) -> Void)? = nil) throws -> String {
    // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    return try sha256(of: descriptor, named: path, onProgress: onProgress)
  }

  /// The checksum of a file that is open, from its beginning to its end.
  /// - Parameter path: what messages call it.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
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
      digest.update(UnsafeBufferPointer(rebasing: piece.bindMemory(to: UInt8.self)[..<got]))
      done += got
      onProgress?(done, Int(status.st_size))
    }
  }
}
