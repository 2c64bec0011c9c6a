import Content

/// Counts records that were rejected although they could be read: it is known that the source has them.
struct KnownRejects {
  private var records: [RecordKind: Int] = [:]
  /// The rows that they were made of.
  private(set) var rows = 0

  subscript(kind: RecordKind) -> Int { records[kind] ?? 0 }

  mutating func count(_ incoming: Incoming) {
    records[incoming.kind, default: 0] += 1
    rows += incoming.rows
  }
}
