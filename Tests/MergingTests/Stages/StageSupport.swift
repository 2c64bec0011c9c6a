import Content
import Diagnostics
import JSONText

@testable import Merging

/// Records for tests of single stages.
enum StageSupport {
  static let id = "5C473796-4407-4338-B2DC-132362E6088A"
  static let now = Timestamp(milliseconds: 1_800_000_000_000)

  /// The line of a checklist with one section.
  /// - Parameter updated: when it was changed, in seconds; nil for an item that has no time.
  static func line(
    title: String = "Departure", description: String = "", steps: [String] = ["Fuel"], updated: Int64? = 100
  ) throws -> String {
    var sections: [ChecklistSection] = []
    sections.append(
      ChecklistSection(
        id: "11111111-4407-4338-B2DC-132362E6088A", title: "Engine",
        items: steps.enumerated().map { index, title in
          ChecklistItem(id: "2222222\(index)-4407-4338-B2DC-132362E6088A", title: title)
        }))
    var item = LibraryItem(.checklist(Checklist(title: title, sections: sections)))
    item.id = id
    item.title = title
    item.description = description
    item.createdAt = Timestamp(milliseconds: 1_000)
    item.updatedAt = updated.map { Timestamp(milliseconds: $0 * 1_000) }
    return try TypedRecord.item(item).canonicalLine()
  }

  /// Passes a line on as a record of a source.
  static func incoming<T>(_ line: String, said: FieldCoverage? = nil, _ body: (SourceRecord) throws -> T) throws -> T {
    let document = try JSONDocument(parsing: line)
    return try Array(line.utf8).withUnsafeBufferPointer { bytes in
      try document.withNode(document.root.tokenIndex) { node in
        var incoming = SourceRecord(
          kind: .item, node: node, line: bytes, original: bytes, file: 1,
          origin: .staged(Place(file: "source.jsonl", line: 7)))
        var sources = CoverageTable()
        incoming.said = said.map { sources.source(of: $0) }
        return try body(incoming)
      }
    }
  }

  /// Passes a source's record and the library's on.
  static func pair<T>(_ source: String, _ library: String?, _ body: (SourceRecord, JSONNode?) throws -> T) throws -> T {
    try incoming(source) { incoming in
      guard let library else { return try body(incoming, nil) }
      let document = try JSONDocument(parsing: library)
      return try document.withNode(document.root.tokenIndex) { try body(incoming, $0) }
    }
  }

  /// The hash of a line, as the ledger keeps it.
  static func hash(_ line: String) -> [UInt8] { Array(line.utf8).withUnsafeBufferPointer { Digest.sha256($0) } }
}
