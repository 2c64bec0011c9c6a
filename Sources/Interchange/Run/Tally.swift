import Content
import Diagnostics

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

  /// Rows of records that were not counted one by one share the fate of the records: a writer that makes a target
  /// counts rows only where it does not take their record.
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

/// What became of the rows of tables: `read = created + updated + unchanged + rejected + skipped`.
///
/// A row of a table of steps or cards is one of these; an import counts what became of it there. A row of a catalogue
/// is an item.
public struct RowTally: Encodable, Sendable, Equatable {
  /// Rows that the sources had, usable or not; headers and empty rows are none.
  public var read = 0
  /// Rows whose step, card or item the target did not have before.
  public var created = 0
  /// Rows whose step, card or item was changed.
  public var updated = 0
  /// Rows whose step, card or item the target had already, the same.
  public var unchanged = 0
  /// Rows that could not be used; they are in the rejects file.
  public var rejected = 0
  /// Rows of items that were left out on purpose.
  public var skipped = 0
  /// Steps and cards that the target had and the tables have no row for; not among the rows that were read.
  public var removed = 0
  /// Rows, counted above, whose step or card stands elsewhere among the others than before.
  public var moved = 0

  /// Makes an empty tally.
  public init() {}

  /// Whether there were tables.
  public var isEmpty: Bool { self == RowTally() }

  /// Rows whose fate is known.
  var settled: Int { created + updated + unchanged + rejected + skipped }

  /// Whether every row that was read is accounted for.
  public var balances: Bool { read == settled }
}

/// Why a record was left out on purpose. `text` is the only place where a reason becomes a sentence.
public enum SkipReason: Hashable, Sendable {
  // MARK: Reading

  /// The selection does not include it.
  case notSelected

  // MARK: Importing

  /// FleetKit's own records in a bundle, such as `fleetkit:extras`.
  case internalRecord
  /// An operation of another library's queue.
  case queueOperation
  /// The library's version stays because `--on-conflict keep` asks for it.
  case libraryKept
  /// The library's version stays because it won the conflict.
  case libraryWon
  /// The library's version stays because it is newer.
  case libraryNewer
  /// The library's version stays because the source did not change since its last import.
  case onlyLibraryChanged
  /// A record that has its place beside the library has no id to be found by.
  case noID(RecordKind)

  // MARK: Writing

  /// The app has no table for records of this kind.
  case noTable(RecordKind)
  /// The app has no table for flashcard decks.
  case noTableForDecks
  /// An older schema has no table for this.
  case notInSchema(version: String, what: String)
  /// A table has no rows for this.
  case notInTable(of: String? = nil, String)
  /// A note holds one item.
  case notAnItem
  /// The format holds items and nothing else.
  case onlyItems(String)
  /// Todoist holds lists of tasks.
  case notAList
  /// The app that the format is of has nothing of the kind.
  case notInApp(String, has: String)
  /// A content pack holds content.
  case notContent
  /// No item of the pack uses the attachment.
  case unusedAttachment
  /// The source has the attachment's name and not its bytes.
  case missingBytes
  /// The target was closed, or the record still waited for another one, when the run ended: a fault of FleetKit.
  case unwritten

  /// The reason in words.
  public var text: String {
    switch self {
    case .notSelected: "not selected"
    case .internalRecord: "records of this kind are internal and are not imported"
    case .queueOperation: "the queue is not imported: publishing is for you to say"
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

/// What a run did, in numbers that add up.
public struct RunSummary: Sendable {
  /// What became of the records, kind by kind.
  public let tally: Tally
  /// Size of the target in bytes.
  public let bytesWritten: Int
  /// How many notes the target has of this run; nil for targets that are one file.
  public let notes: Int?
  /// How long it took.
  public let seconds: Double
  /// Where rejected records and rows are: one file for records, one for each table with a header of its own.
  public let rejectsPaths: [String]
  /// What reading the target back came to; nil when that was not asked for.
  public var proof: ProofSummary?
  /// The run's findings and losses.
  public let context: RunContext

  /// Where the first rejected records are; nil when there are none.
  public var rejectsPath: String? { rejectsPaths.first }

  /// How many parts of damaged texts of the selected records could not be recovered.
  public let partsLost: Int

  /// How the process should end.
  public var status: ExitStatus {
    tally.total.rejected + tally.rows.rejected + partsLost > 0 ? .partial : .success
  }
}

/// What a proof looked at, when it held: what was written was read back and says what the source says.
public struct ProofSummary: Encodable, Sendable, Equatable {
  /// How many records were compared with the source.
  public var records = 0
  /// How many values of theirs were compared.
  public var fields = 0
  /// How many losses the run listed.
  public var losses = 0
  /// How many differences the losses explain.
  public var explained = 0
  /// How many differences are the format's own way of saying the same, by what the format's page says of it.
  public var normalised: [String: Int] = [:]
  /// How many records the target has from elsewhere: a vault, or a library, that was there before.
  public var others = 0
  /// How many differences nothing explains; 0 when the proof holds.
  public var differences = 0

  /// Makes an empty summary.
  public init() {}

  /// Whether nothing contradicts the source.
  public var holds: Bool { differences == 0 }
}
