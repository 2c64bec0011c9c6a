import Foundation
import JSONText

/// The file that a target is, or what stands in for standard output until it is complete: nobody reads half of one.
package final class OutputFile {
  private let target: Target
  private let folder: TemporaryFolder?
  private let file: AtomicFile

  /// Begins it; nothing is visible under the target's name.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there, 2 when it cannot be written.
  package init(_ target: Target) throws {
    self.target = target
    folder = target.isStandardOutput ? try TemporaryFolder() : nil
    file = try folder.map { try AtomicFile($0.path + "/output", overwrites: true) } ?? AtomicFile(target)
  }

  /// The file's descriptor, for writers of plain bytes.
  package var descriptor: Int32 { file.descriptor }

  /// Gives the file its name, or sends it to standard output.
  /// - Returns: its size in bytes; of a pipe that was closed early, what went into it.
  /// - Throws: `RunFailure` when it cannot be written.
  package func publish() throws -> Int {
    guard target.isStandardOutput else { return try file.publish() }
    defer { discard() }
    let output = ByteSink(descriptor: 1, name: "standard output")
    var buffer = ByteBuffer(capacity: 1 << 16)
    guard lseek(file.descriptor, 0, SEEK_SET) == 0 else { throw failure() }
    do {
      while true {
        buffer.removeAll()
        let got = buffer.append(room: 1 << 16) { FileRead.some(file.descriptor, into: $0) }
        if got < 0 { throw failure() }
        if got == 0 { break }
        try output.write(buffer.bytes)
      }
      try output.flush()
    } catch is BrokenPipe {
      // Who reads only the beginning wants no more.
    }
    return output.count
  }

  /// Removes it unless it was published.
  package func discard() {
    file.discard()
    folder?.remove()
  }

  private func failure() -> RunFailure { RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
}
