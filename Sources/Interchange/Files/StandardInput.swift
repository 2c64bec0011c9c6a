import Foundation

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
      try sink.write(UnsafeRawBufferPointer(rebasing: room[..<got]).bindMemory(to: UInt8.self))
    }
  }
}
