import FleetKitCore
import Foundation
import Interchange

/// SHA-256 of files.
enum FileDigest {
  /// The checksum of a file in lower-case hexadecimal digits.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  static func sha256(of path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    var digest = DigestStream()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { piece.deallocate() }
    while true {
      let got = FileRead.some(descriptor, into: piece)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { return Digest.hex(digest.finish()) }
      digest.update(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(piece.bindMemory(to: UInt8.self))[..<got]))
      try Interruption.check()
    }
  }
}
