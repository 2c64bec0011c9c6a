import Content
import Foundation
import Interchange
import JSONText

/// A text file in the quarantine with what damaged columns said, so that a person can read it and copy from it.
///
/// Each text has a heading with its record and column; its bytes are those of the column. The file is made with the
/// first text.
package final class OriginalTexts {
  private let folder: () throws -> OpenFolder
  private let name: String
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// The file's path once it has its name; nil if there were no texts.
  package private(set) var path: String?

  /// - Parameter folder: the quarantine, asked for when there is a text.
  package init(_ name: String, in folder: @escaping () throws -> OpenFolder) {
    self.name = name
    self.folder = folder
  }

  /// Columns that hold JSON; an original of another column is a word or a number.
  private static let columns: Set<String> = ["content", "itemStates", "tags", "payload", "publicMetadata"]

  /// Adds the originals under `extras.raw` of a record.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  package func add(_ record: JSONNode) throws {
    guard let raw = record.member("extras")?.member("raw"), raw.kind == .object else { return }
    try raw.forEachMember { name, value in
      let column = name.string ?? ""
      guard Self.columns.contains(String(column.split(separator: ".").last ?? "")) else { return }
      if let text = value.string {
        try add(record, column, Array(text.utf8))
      } else if let hex = value.member("$hex")?.string {
        try add(record, column, Self.bytes(hex))
      }
    }
  }

  private func add(_ record: JSONNode, _ column: String, _ text: [UInt8]) throws {
    if file == nil {
      let file = try AtomicFile(name, in: folder(), overwrites: true)
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      self.file = file
    }
    let kind = record.member("kind")?.string ?? ""
    let id = record.member("id").map { $0.string ?? String(decoding: $0.raw, as: UTF8.self) } ?? ""
    let title = (record.member("title") ?? record.member("name"))?.string.map { " “\($0)”" } ?? ""
    try sink?.write("=== \(kind) \(id)\(title.replacing("\n", with: " ")), \(column)\n")
    try text.withUnsafeBufferPointer { try sink?.write($0) }
    try sink?.write("\n\n")
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Gives the file its name, synced.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  package func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Forgets the file.
  package func discard() { file?.discard() }
}
