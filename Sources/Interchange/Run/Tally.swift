import Content

/// What became of the records of one kind.
public struct KindTally: Sendable, Equatable {
  /// Records that the sources had, readable or not.
  public var read = 0
  /// Records that the target did not have before.
  public var created = 0
  /// Records of the target that were changed.
  public var updated = 0
  /// Records that the target had already, the same.
  public var unchanged = 0
  /// Records that could not be used; they are in the rejects file.
  public var rejected = 0
  /// Records that were left out on purpose, by reason.
  public var skipped: [SkipReason: Int] = [:]

  /// Makes an empty tally.
  public init() {}

  /// Whether every record that was read is accounted for.
  public var balances: Bool {
    read == created + updated + unchanged + rejected + skipped.values.reduce(0, +)
  }

  mutating func add(_ other: KindTally) {
    read += other.read
    created += other.created
    updated += other.updated
    unchanged += other.unchanged
    rejected += other.rejected
    skipped.merge(other.skipped, uniquingKeysWith: +)
  }
}

/// The reconciliation of a run, kind by kind: `read = created + updated + unchanged + rejected + skipped`.
public struct Tally: Sendable, Equatable {
  /// What became of each kind of record.
  public private(set) var kinds: [RecordKind: KindTally] = [:]
  /// What became of the rows of tables.
  public var rows = RowTally()

  /// Makes an empty tally.
  public init() {}

  /// The numbers of one kind, to read or change.
  public subscript(kind: RecordKind) -> KindTally {
    get { kinds[kind] ?? KindTally() }
    set { kinds[kind] = newValue }
  }

  /// The kinds that occurred, in the order of bundles.
  public var order: [RecordKind] {
    kinds.keys.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
  }

  /// All kinds together.
  public var total: KindTally {
    var sum = KindTally()
    for tally in kinds.values { sum.add(tally) }
    return sum
  }

  /// Whether every record that was read is accounted for.
  public var balances: Bool { rows.balances && kinds.values.allSatisfy(\.balances) }

  /// Rows of records that nobody counted one by one share the fate of the records: a writer that makes a target counts
  /// rows only where it does not take their record.
  package mutating func settleRows() {
    let rest = rows.read - rows.settled
    guard rest > 0 else { return }
    let items = self[.item]
    if items.updated == 0, items.unchanged == 0 || items.created > 0 {
      rows.created += rest
    } else if items.updated == 0, items.created == 0 {
      rows.unchanged += rest
    } else {
      rows.updated += rest
    }
  }
}
