import FleetKitCore

/// The records of some sources in one fixed order, sorted on disk.
final class SortedRecords {
  /// One record.
  struct Entry {
    let key: String
    let kind: RecordKind
    let id: String
    let line: [UInt8]

    var title: String {
      guard let document = try? JSONDocument(parsing: line) else { return "" }
      return (document.root["title"] ?? document.root["name"])?.string ?? ""
    }
  }

  private let sorter: KeyedSorter

  init(_ sources: SourceList, selection: Selection?, byContent: Bool, context: RunContext) throws {
    let sorter = KeyedSorter()
    try RecordScan(sources: sources, selection: selection).run(context: context) { record in
      let rank = Character(UnicodeScalar(UInt8(65 + record.kind.rank)))
      var id = record.id
      if record.kind == .syncOperation, let number = Int64(id) {
        id = String(repeating: "0", count: max(0, 20 - String(number).count)) + String(number)
      }
      if byContent { id = (try? ContentHash.of(record)) ?? id }
      try sorter.add(key: "\(rank)\(record.kind.name) \(id)", line: record.bytes)
    }
    try sorter.sort()
    self.sorter = sorter
  }

  func next() throws -> Entry? {
    guard let (key, line) = try sorter.next() else { return nil }
    let document = try? JSONDocument(parsing: line)
    let kind = RecordKind(document?.root["kind"]?.string ?? "")
    let id = document?.root["id"].map { $0.string ?? $0.text } ?? ""
    return Entry(key: key, kind: kind, id: id, line: line)
  }
}
