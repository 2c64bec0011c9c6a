import Content
import Foundation
import SQLiteIO

/// What tells a library from all others: notes that were written from it say so.
///
/// A library with a folder beside it has an id of its own there, which stays wherever both are copied. Without the folder
/// the file itself is meant: its number on its disk and its path. Reading makes no ids.
/// - Source: formats/sqlite-library.md, "The folder beside it"
package enum LibraryID {
  /// The id of a library, 16 hexadecimal digits; nil when there is no such file.
  package static func of(_ path: String) -> String? { beside(path) ?? file(path) }

  /// Whether an id is a library's, also one that was given before the folder beside it was made.
  /// - Parameter own: what the folder beside it says.
  package static func isOf(_ path: String, own: String?, _ id: String) -> Bool { id == own || id == file(path) }

  /// What the folder beside a library says; nil when there is none, or none that can be read now.
  private static func beside(_ path: String) -> String? {
    // A store of an older version has none yet.
    (try? StateStore.reading(of: path)).flatMap { try? read($0) }
  }

  /// What a store says; nil when it is older than ids are.
  static func read(_ store: SQLiteConnection) throws(SQLiteError) -> String? {
    try store.rows("SELECT id FROM library_id").first?[0]
  }

  private static func file(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let text = Array("\(status.st_dev) \(status.st_ino) \(String(cString: real))".utf8)
    return text.withUnsafeBufferPointer { Digest.hex(Array(Digest.sha256($0).prefix(8))) }
  }
}
