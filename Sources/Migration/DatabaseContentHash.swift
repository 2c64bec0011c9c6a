import Content
import Foundation
import Interchange
import JSONText

/// Computes the hash of a database file. The hash covers every byte except those that SQLite changes on every write.
enum DatabaseContentHash {
  /// Offsets of the header's journal mode and counters: file change counter, schema cookie, version-valid-for and
  /// SQLite's version. These bytes are not part of the content.
  /// - Source: SQLite, "Database File Format", section 1.3
  static let counters = [18..<20, 24..<28, 40..<44, 92..<100]

  /// Returns the SHA-256 of a file that no connection of this process has open.
  /// - Throws: `RunFailure` if the file cannot be read.
  static func of(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    var hash = DigestStream()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var isFirst = true
    while true {
      let got = read(file, &buffer, buffer.count)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { break }
      if isFirst, got >= 100 {
        for range in counters { for index in range { buffer[index] = 0 } }
      }
      isFirst = false
      buffer.withUnsafeBufferPointer { hash.update(UnsafeBufferPointer(rebasing: $0[0..<got])) }
    }
    return Digest.hex(hash.finish())
  }
}
