import FleetKitCore
import Interchange
import JSONText

/// The records of one side in the order of their kinds and ids, sorted on disk.
final class ProofRecords {
  /// One record.
  struct Entry {
    let key: ProofKey
    let kind: RecordKind
    let id: String
    let line: [UInt8]

    /// What the record is called; empty when it has no title.
    var title: String { line.withUnsafeBufferPointer { RecordLine.title(of: $0) } ?? "" }
  }

  private let sorter: ExternalSorter<ProofKey>
  /// How many records of the side could not be read.
  let unreadable: Int

  /// Reads a side.
  init(_ sources: SourceList, selection: Selection?, context: RunContext) throws {
    let sorter = ExternalSorter<ProofKey>(key: Self.key)
    unreadable = try RecordScan(sources: sources, selection: selection).run(context: context) { record in
      try record.withLine { try sorter.add($0) }
    }
    try sorter.sort()
    self.sorter = sorter
  }

  /// Takes records that were sorted already.
  init(_ sorter: ExternalSorter<ProofKey>) {
    self.sorter = sorter
    unreadable = 0
  }

  /// The order of canonical lines.
  static func key(of line: UnsafeBufferPointer<UInt8>) -> ProofKey {
    ProofKey(RecordLine.kind(of: line) ?? RecordKind(""), RecordLine.id(of: line) ?? "")
  }

  /// The next record; nil at the end.
  func next() throws -> Entry? {
    guard let line = try sorter.next() else { return nil }
    let kind = RecordLine.kind(of: line) ?? RecordKind("")
    let id = RecordLine.id(of: line) ?? ""
    return Entry(key: ProofKey(kind, id), kind: kind, id: id, line: Array(line))
  }
}
