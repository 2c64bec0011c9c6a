import Foundation
import Interchange
import JSONText
import MarkdownSyntax

/// Reads files whole into memory that is used again.
enum NoteBytes {
  /// The largest note, in bytes.
  static let largest = MarkdownTree.longest

  /// Reads a file behind what `out` holds.
  /// - Throws: `RunFailure` with status 2 if it cannot be read or is larger than `largest`.
  static func read(_ path: String, size: Int, into out: inout ByteBuffer) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    try read(descriptor, path, size: size, into: &out)
  }

  /// Reads a descriptor to its end.
  static func read(_ descriptor: Int32, _ path: String, size: Int, into out: inout ByteBuffer) throws {
    let start = out.count
    // One byte more than expected tells that the end was reached.
    var room = max(size, 0) + 1
    while true {
      let got = try out.append(room: room) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
        let got = FileRead.some(descriptor, into: room)
        guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
        return got
      }
      if got == 0 { return }
      if got < room, out.count - start == size { return }
      room = 1 << 16
      guard out.count - start <= largest else {
        throw RunFailure(.failed, "read '\(path)': it is larger than \(largest >> 20) MB, the limit for notes")
      }
    }
  }
}
