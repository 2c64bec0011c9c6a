import Content
import Foundation
import Interchange
import JSONText

/// Writes the content of damaged columns to a text file in the quarantine folder, so that a person can read and copy
/// the content.
///
/// Each text consists of exactly the column's bytes, below a heading that names the record and the column. The file is
/// created when the first text is added.
package final class OriginalTexts {
  private let folder: () throws -> OpenFolder
  private let name: String
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// The path of the published file; nil if it was not published or contains no texts.
  package private(set) var path: String?

  /// - Parameter folder: returns the quarantine folder; called when the first text is added.
  package init(_ name: String, in folder: @escaping () throws -> OpenFolder) {
    self.name = name
    self.folder = folder
  }

  /// The columns that hold JSON. The original value of any other column is only a word or a number.
  private static let columns: Set<String> = ["content", "itemStates", "tags", "payload", "publicMetadata"]

  /// Adds the original values under `extras.raw` of a record.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  package func add(_ record: JSONNode) throws {
    guard let raw = record.member("extras")?.member("raw"), raw.kind == .object else { return }
    try raw.forEachMember { name, value in
      let column = name.string ?? ""
      guard Self.columns.contains(String(column.split(separator: ".").last ?? "")) else { return }
      if value.kind == .string {
        var text = ByteBuffer(capacity: value.inner.count + 1)
        JSONStrings.unescape(value.inner.span, into: &text)
        try add(record, column, text.bytes.span)
      } else if let hex = value.member("$hex"), hex.kind == .string {
        var text = ByteBuffer(capacity: hex.inner.count / 2 + 1)
        Self.append(hex: hex.inner.span, to: &text)
        try add(record, column, text.bytes.span)
      }
    }
  }

  private func add(_ record: JSONNode, _ column: String, _ text: Span<UInt8>) throws {
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

  private static func append(hex: Span<UInt8>, to out: inout ByteBuffer) {
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

  /// Syncs the file and renames it to its final name.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  package func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Discards the file.
  package func discard() { file?.discard() }
}
