import FleetKitCore
import Interchange
import JSONText

/// The records of some sources in one fixed order, sorted on disk.
final class SortedRecords {
  /// One record.
  struct Entry {
    let key: RecordSortKey
    let kind: RecordKind
    let id: String
    let line: [UInt8]

    /// What the record is called; empty when it has no title.
    var title: String { line.withUnsafeBufferPointer { RecordLine.title(of: $0) } ?? "" }
    /// What kind of content an item is; of other records the kind.
    var type: String { (try? JSONDocument(parsing: line))?.root["content_type"]?.string ?? kind.name }
  }

  private let sorter: ExternalSorter<RecordSortKey>
  private let byContent: Bool
  /// How many records could not be read.
  let unreadable: Int

  /// Reads the sources.
  /// - Parameter byContent: whether records are ordered by what they say instead of by their ids.
  init(_ sources: SourceList, selection: Selection?, byContent: Bool = false, context: RunContext) throws {
    self.byContent = byContent
    let sorter = ExternalSorter<RecordSortKey> { Self.key(of: $0, byContent: byContent) }
    unreadable = try RecordScan(sources: sources, selection: selection).run(context: context) { record in
      try record.withLine { try sorter.add($0) }
    }
    try sorter.sort()
    self.sorter = sorter
  }

  /// Takes records that were sorted already, by `key(of:)`.
  init(_ sorter: ExternalSorter<RecordSortKey>) {
    self.sorter = sorter
    byContent = false
    unreadable = 0
  }

  /// The order of canonical lines.
  static func key(of line: UnsafeBufferPointer<UInt8>) -> RecordSortKey { key(of: line, byContent: false) }

  private static func key(of line: UnsafeBufferPointer<UInt8>, byContent: Bool) -> RecordSortKey {
    entryKey(RecordLine.kind(of: line) ?? RecordKind(""), RecordLine.id(of: line) ?? "", line, byContent)
  }

  private static func entryKey(
    _ kind: RecordKind, _ id: String, _ line: UnsafeBufferPointer<UInt8>, _ byContent: Bool
  ) -> RecordSortKey {
    RecordSortKey(kind, byContent ? (try? ContentHash.of(line: line)) ?? id : id)
  }

  /// The next record; nil at the end.
  func next() throws -> Entry? {
    guard let line = try sorter.next() else { return nil }
    let kind = RecordLine.kind(of: line) ?? RecordKind("")
    let id = RecordLine.id(of: line) ?? ""
    return Entry(key: Self.entryKey(kind, id, line, byContent), kind: kind, id: id, line: Array(line))
  }
}
