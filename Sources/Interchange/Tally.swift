import Content
import Diagnostics

/// The outcomes of the records of one kind.
public struct KindTally: Sendable, Equatable {
  /// The number of records in the sources, readable or not.
  public var read = 0
  /// The number of records that are new in the target.
  public var created = 0
  /// The number of records of the target that were changed.
  public var updated = 0
  /// The number of records that the target already had and that are unchanged.
  public var unchanged = 0
  /// The number of records that could not be used. They are in the rejects file.
  public var rejected = 0
  /// The number of records that were left out on purpose, by reason.
  public var skipped: [SkipReason: Int] = [:]

  /// Creates an empty tally.
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
  /// The outcomes of records, by kind.
  public private(set) var kinds: [RecordKind: KindTally] = [:]
  /// The outcomes of the rows of tables.
  public var rows = RowTally()

  /// Creates an empty tally.
  public init() {}

  /// The outcomes of the records of one kind.
  public subscript(kind: RecordKind) -> KindTally {
    get { kinds[kind] ?? KindTally() }
    set { kinds[kind] = newValue }
  }

  /// The kinds that occurred, in the order of bundles.
  public var order: [RecordKind] {
    kinds.keys.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
  }

  /// The sum of all kinds.
  public var total: KindTally {
    var sum = KindTally()
    for tally in kinds.values { sum.add(tally) }
    return sum
  }

  /// Whether every record that was read is accounted for.
  public var balances: Bool { rows.balances && kinds.values.allSatisfy(\.balances) }

  /// Gives the outcome of their records to the rows that were not counted one by one. A writer that makes a target
  /// counts rows only if it does not write their record.
  package mutating func countRemainingRows() {
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

/// The outcomes of the rows of tables: `read = created + updated + unchanged + rejected + skipped`.
///
/// A row of a table of steps or cards is a step or a card, and an import counts its outcome. A row of a catalogue is
/// an item.
public struct RowTally: Encodable, Sendable, Equatable {
  /// The number of rows in the sources, usable or not. Headers and empty rows do not count.
  public var read = 0
  /// The number of rows whose step, card or item is new in the target.
  public var created = 0
  /// The number of rows whose step, card or item was changed.
  public var updated = 0
  /// The number of rows whose step, card or item the target already had, unchanged.
  public var unchanged = 0
  /// The number of rows that could not be used. They are in the rejects file.
  public var rejected = 0
  /// The number of rows of items that were left out on purpose.
  public var skipped = 0
  /// The number of steps and cards of the target that have no row in the tables. They do not count as read.
  public var removed = 0
  /// The number of the rows counted above whose step or card has a new position among the others.
  public var moved = 0

  /// Creates an empty tally.
  public init() {}

  /// Whether there were tables.
  public var isEmpty: Bool { self == RowTally() }

  /// The number of rows with a known outcome.
  var settled: Int { created + updated + unchanged + rejected + skipped }

  /// Whether every row that was read is accounted for.
  public var balances: Bool { read == settled }
}

/// The reason why a record was left out on purpose. Only `text` turns a reason into a sentence.
public enum SkipReason: Hashable, Sendable {
  // MARK: Reading

  /// The selection does not include the record.
  case notSelected

  // MARK: Importing

  /// FleetKit's own records in a bundle, such as `fleetkit:extras`.
  case internalRecord
  /// An operation of another library's queue.
  case queueOperation
  /// The library's version is kept because of `--on-conflict keep`.
  case libraryKept
  /// The library's version is kept because it won the conflict.
  case libraryWon
  /// The library's version is kept because it is newer.
  case libraryNewer
  /// The library's version is kept because the source has not changed since its last import.
  case onlyLibraryChanged
  /// A record that belongs in the sidecar has no id.
  case noID(RecordKind)

  // MARK: Writing

  /// The app has no table for records of this kind.
  case noTable(RecordKind)
  /// The app has no table for flashcard decks.
  case noTableForDecks
  /// An older schema has no table for such records.
  case notInSchema(version: String, what: String)
  /// A table has no rows for such records.
  case notInTable(of: String? = nil, String)
  /// A note can only hold one item.
  case notAnItem
  /// The format can only hold items.
  case onlyItems(String)
  /// Todoist only has lists of tasks.
  case notAList
  /// The app of the format has no records of this kind.
  case notInApp(String, has: String)
  /// A content pack only holds content.
  case notContent
  /// No item of the pack uses the attachment.
  case unusedAttachment
  /// The source has the attachment's name, but not its bytes.
  case missingBytes
  /// When the run ended, the target was closed, or the record was still waiting for another record. This is a bug in
  /// FleetKit.
  case unwritten

  /// The reason as a sentence.
  public var text: String {
    switch self {
    case .notSelected: "not selected"
    case .internalRecord: "records of this kind are internal and are not imported"
    case .queueOperation: "queue entries are not imported"
    case .libraryKept: "the library's version is kept (--on-conflict keep)"
    case .libraryWon: "the library's version is kept (it won the conflict)"
    case .libraryNewer: "the library's version is newer"
    case .onlyLibraryChanged: "only the library's version changed since the last import"
    case .noID(let kind): "a library has no place for \(kind.plural) without an id"
    case .noTable(let kind):
      "the app's library has no place for \(kind.isKnown ? kind.plural : "records of kind '\(kind)'")"
    case .noTableForDecks: "the app's library has no place for flashcard decks"
    case .notInSchema(let version, let what): "schema \(version) has no place for \(what)"
    case .notInTable(let shape, let what):
      "a table\(shape.map { " of \($0)" } ?? "") has no place for \(what)"
    case .notAnItem: "a note holds one item"
    case .onlyItems(let what): "the format holds items, not \(what)"
    case .notAList: "Todoist has lists of tasks"
    case .notInApp(let app, let has): "\(app) has \(has)"
    case .notContent: "a content pack holds content"
    case .unusedAttachment: "no item of the pack uses it"
    case .missingBytes: "the source has its name, not its bytes"
    case .unwritten: "internal"
    }
  }
}

/// The results of a run, in numbers that add up.
public struct RunSummary: Sendable {
  /// The outcomes of the records, kind by kind.
  public let tally: Tally
  /// The size of the target in bytes.
  public let bytesWritten: Int
  /// The number of notes that this run wrote; nil for a target that is a single file.
  public let notes: Int?
  /// The duration in seconds.
  public let seconds: Double
  /// The paths of rejected records and rows: one file for records, and one for each table with a different header.
  public let rejectsPaths: [String]
  /// The result of reading the target back; nil if that was not requested.
  public var proof: ProofSummary?
  /// The run's findings and losses.
  public let context: RunContext

  /// The path of the first rejected records; nil if nothing was rejected.
  public var rejectsPath: String? { rejectsPaths.first }

  /// The number of parts of damaged texts in the selected records that could not be recovered.
  public let partsLost: Int

  /// The exit status.
  public var status: ExitStatus {
    tally.total.rejected + tally.rows.rejected + partsLost > 0 ? .partial : .success
  }
}

/// The counts of a successful proof, in which the target was read back and matched the source.
public struct ProofSummary: Encodable, Sendable, Equatable {
  /// The number of records compared with the source.
  public var records = 0
  /// The number of values in these records that were compared.
  public var fields = 0
  /// The number of losses that the run listed.
  public var losses = 0
  /// The number of differences explained by the losses.
  public var explained = 0
  /// The number of differences that are documented on the format's page, keyed by their descriptions there.
  public var normalised: [String: Int] = [:]
  /// The number of other records in the target, if it is a vault or a library that existed before.
  public var others = 0
  /// The number of unexplained differences; 0 if the proof holds.
  public var differences = 0

  /// Creates an empty summary.
  public init() {}

  /// Whether there are no unexplained differences.
  public var holds: Bool { differences == 0 }
}
