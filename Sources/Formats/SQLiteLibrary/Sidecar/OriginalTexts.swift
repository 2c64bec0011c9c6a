import Content
import Foundation
import Interchange
import JSONText

/// Writes a text file with the content of damaged columns to the quarantine, so that a person can read it and copy from
/// it.
///
/// Each text has a heading with its record and column; its bytes are those of the column. The file is created with the
/// first text.
package final class OriginalTexts {
  private let folder: () throws -> OpenFolder
  private let name: String
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// The file's path once it has its name; nil if there were no texts.
  package private(set) var path: String?

  /// - Parameter folder: returns the quarantine folder; called at the first text.
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
      if value.kind == .string {
        var text = ByteBuffer(capacity: value.inner.count + 1)
        JSONStrings.unescape(value.inner, into: &text)
        try add(record, column, text.bytes)
      } else if let hex = value.member("$hex"), hex.kind == .string {
        var text = ByteBuffer(capacity: hex.inner.count / 2 + 1)
        Self.append(hex: hex.inner, to: &text)
        try add(record, column, text.bytes)
      }
    }
  }

  private func add(_ record: JSONNode, _ column: String, _ text: UnsafeBufferPointer<UInt8>) throws {
    if file == nil {
      let file = try AtomicFile(name, in: folder(), overwrites: true)
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      self.file = file
    }
    let kind = record.member("kind")?.string ?? ""
    let id = record.member("id").map { $0.string ?? String(decoding: $0.raw, as: UTF8.self) } ?? ""
    let title = (record.member("title") ?? record.member("name"))?.string.map { " “\($0)”" } ?? ""
    try sink?.write("=== \(kind) \(id)\(title.replacing("\n", with: " ")), \(column)\n")
    try sink?.write(text)
    try sink?.write("\n\n")
  }

  private static func append(hex: UnsafeBufferPointer<UInt8>, to out: inout ByteBuffer) {
    func digit(_ byte: UInt8) -> UInt8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: 0
      }
    }
    for at in stride(from: 0, to: hex.count - 1, by: 2) { out.append(digit(hex[at]) << 4 | digit(hex[at + 1])) }
  }

  /// Renames the file to its final name, synced.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  package func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Discards the file.
  package func discard() { file?.discard() }
}
