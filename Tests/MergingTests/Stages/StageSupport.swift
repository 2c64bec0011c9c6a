import Content
import Diagnostics
import JSONText

@testable import Merging

/// Records for the tests of single stages.
enum StageSupport {
  static let id = "5C473796-4407-4338-B2DC-132362E6088A"
  static let now = Timestamp(milliseconds: 1_800_000_000_000)

  /// Returns the line of a checklist with one section.
  /// - Parameter updated: the time of the last change in seconds; nil for an item without a time.
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

  /// Passes a line to a body as a source's record.
  static func incoming<T>(
    _ line: String, coverage: FieldCoverage? = nil, _ body: (SourceRecord) throws -> T
  ) throws -> T {
    let document = try JSONDocument(parsing: line)
    return try Array(line.utf8).withUnsafeBufferPointer { bytes in
      try document.withNode(document.root.tokenIndex) { node in
        var incoming = SourceRecord(
          kind: .item, node: node, line: bytes, original: bytes, file: 1,
          origin: .staged(Place(file: "source.jsonl", line: 7)))
        var sources = CoverageTable()
        incoming.coverage = coverage.map { sources.source(of: $0) }
        return try body(incoming)
      }
    }
  }

  /// Passes the records of the source and the library to a body.
  static func pair<T>(_ source: String, _ library: String?, _ body: (SourceRecord, JSONNode?) throws -> T) throws -> T {
    try incoming(source) { incoming in
      guard let library else { return try body(incoming, nil) }
      let document = try JSONDocument(parsing: library)
      return try document.withNode(document.root.tokenIndex) { try body(incoming, $0) }
    }
  }

  /// Returns the hash of a line as the ledger stores it.
  static func hash(_ line: String) -> [UInt8] { Digest.sha256(line.utf8.span) }
}
