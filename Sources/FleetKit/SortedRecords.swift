import FleetKitCore
import Interchange
import JSONText

/// The records of some sources in one fixed order, sorted on disk.
final class SortedRecords {
  /// One record.
  struct Entry {
    let key: String
    let kind: RecordKind
    let id: String
    let line: [UInt8]

    var title: String { text("title") ?? text("name") ?? "" }
    var type: String { text("content_type") ?? kind.name }

    private func text(_ name: String) -> String? {
      (try? JSONDocument(parsing: line))?.root[name]?.string
    }
  }

  private let sorter: ExternalSorter<String>
  private let byContent: Bool
  /// How many records could not be read.
  let unreadable: Int

  /// Reads the sources.
  /// - Parameter byContent: whether records are ordered by what they say instead of by their ids.
  init(_ sources: SourceList, selection: Selection?, byContent: Bool, context: RunContext) throws {
    self.byContent = byContent
    let sorter = ExternalSorter<String> { Self.key(of: $0, byContent: byContent) }
    unreadable = try RecordScan(sources: sources, selection: selection).run(context: context) { record in
      try record.withLine { try sorter.add($0) }
    }
    try sorter.sort()
    self.sorter = sorter
  }

  private static func key(of line: UnsafeBufferPointer<UInt8>, byContent: Bool) -> String {
    let kind = RecordLine.kind(of: line) ?? RecordKind("")
    let rank = Character(UnicodeScalar(UInt8(65 + kind.rank)))
    var id = RecordLine.id(of: line) ?? ""
    if kind == .syncOperation, let number = Int64(id) {
      id = String(repeating: "0", count: max(0, 20 - String(number).count)) + String(number)
    }
    if byContent { id = (try? ContentHash.of(line: line)) ?? id }
    return "\(rank)\(kind.name) \(id)"
  }

  /// The next record; nil at the end.
  func next() throws -> Entry? {
    guard let line = try sorter.next() else { return nil }
    return Entry(
      key: Self.key(of: line, byContent: byContent), kind: RecordLine.kind(of: line) ?? RecordKind(""),
      id: RecordLine.id(of: line) ?? "", line: Array(line))
  }
}
