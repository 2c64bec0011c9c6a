import Content
import Interchange
import JSONText

/// The records of some sources in one fixed order, sorted on disk.
package final class SortedRecords {
  /// One record.
  package struct Entry {
    package let key: RecordSortKey
    package let kind: RecordKind
    package let id: String
    package let line: [UInt8]

    /// Makes an entry from a canonical line.
    package init(key: RecordSortKey, kind: RecordKind, id: String, line: [UInt8]) {
      self.key = key
      self.kind = kind
      self.id = id
      self.line = line
    }

    /// The record's title or name; empty if the record has none.
    package var title: String { RecordLine.title(of: line.span) ?? "" }
    /// An item's content type, or the kind of another record.
    package var type: String { (try? JSONDocument(parsing: line))?.root["content_type"]?.string ?? kind.name }
  }

  private let sorter: ExternalSorter
  private let byContent: Bool
  /// How many records could not be read.
  package let unreadable: Int

  /// Reads the sources.
  /// - Parameter byContent: whether records are ordered by their content instead of by their ids.
  package init(_ sources: SourceList, selection: Selection?, byContent: Bool = false, context: RunContext) throws {
    self.byContent = byContent
    let sorter = ExternalSorter { Self.key(of: $0.span, byContent: byContent).append(to: &$1) }
    unreadable = try RecordScan(sources: sources, selection: selection).run(context: context) { record in
      try record.withLine { try sorter.add($0.span) }
    }
    try sorter.sort()
    self.sorter = sorter
  }

  /// Uses records that were already sorted by `key(of:)`.
  package init(_ sorter: ExternalSorter) {
    self.sorter = sorter
    byContent = false
    unreadable = 0
  }

  /// Returns the sort key of a canonical line.
  package static func key(of line: UnsafeBufferPointer<UInt8>) -> RecordSortKey { key(of: line.span, byContent: false) }

  private static func key(of line: Span<UInt8>, byContent: Bool) -> RecordSortKey {
    entryKey(RecordLine.kind(of: line) ?? RecordKind(""), RecordLine.id(of: line) ?? "", line, byContent)
  }

  private static func entryKey(
    _ kind: RecordKind, _ id: String, _ line: Span<UInt8>, _ byContent: Bool
  ) -> RecordSortKey {
    RecordSortKey(kind, byContent ? (try? ContentHash.of(line: line)) ?? id : id)
  }

  /// Returns the next record; nil at the end.
  package func next() throws -> Entry? {
    guard let line = try sorter.next() else { return nil }
    let kind = RecordLine.kind(of: line.span) ?? RecordKind("")
    let id = RecordLine.id(of: line.span) ?? ""
    return Entry(key: Self.entryKey(kind, id, line.span, byContent), kind: kind, id: id, line: Array(line))
  }
}

/// The key by which versions of a record are matched while two sides are read in parallel: the record's kind and id,
/// compared as bytes.
///
/// Keys are ordered by kind. Sync operations are ordered by their numbers.
package struct RecordSortKey: Comparable, Hashable {
  private let bytes: [UInt8]

  package init(_ kind: RecordKind, _ id: String) {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: kind.rank)]
    bytes.append(contentsOf: kind.name.utf8)
    bytes.append(0)
    if kind == .syncOperation, Int64(id) != nil {
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, 20 - id.utf8.count)))
    }
    bytes.append(contentsOf: id.utf8)
    self.bytes = bytes
  }

  /// Appends the key as bytes that have the same order as the keys.
  package func append(to out: inout ByteBuffer) { out.append(bytes.span) }

  package static func < (left: RecordSortKey, right: RecordSortKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// Reads every record of some sources without writing anything.
public struct RecordScan: Sendable {
  /// The sources that are read.
  public var sources: SourceList
  /// The selection of records; nil for all.
  public var selection: Selection?

  /// Prepares a scan.
  public init(sources: SourceList, selection: Selection? = nil) {
    self.sources = sources
    self.selection = selection
  }

  /// Calls `body` with every record, in the order of the sources.
  /// - Returns: how many records could not be read; the findings give the reasons.
  /// - Throws: `RunFailure`, or what `body` throws.
  @discardableResult
  public func run(context: RunContext, _ body: (Record) throws -> Void) throws -> Int {
    var rejected = 0
    for makeReader in sources.readers(context: context.selecting(selection)) {
      let reader = try makeReader()
      while let batch = try reader.next() {
        try Interruption.check()
        rejected += batch.rejectedCount
        for record in batch.records where selection?.takes(record) ?? true { try body(record) }
      }
    }
    return rejected
  }
}
