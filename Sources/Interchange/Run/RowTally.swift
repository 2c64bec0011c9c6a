/// What became of the rows of tables: `read = created + updated + unchanged + rejected + skipped`.
///
/// A row of a table of steps or cards is one of these; an import counts what became of it there. A row of a catalogue
/// is an item.
public struct RowTally: Sendable, Equatable {
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
