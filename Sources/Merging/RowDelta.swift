import Interchange

/// What becomes of the rows of one record.
struct RowDelta: Equatable {
  /// How many there are.
  var rows = 0
  var created = 0
  var updated = 0
  /// Steps that go, and those that stand elsewhere afterwards; not among the rows, and among those above.
  var removed = 0
  var moved = 0

  /// How many numbers it is.
  static let count = 5

  var numbers: [Int] { [rows, created, updated, removed, moved] }

  init() {}

  /// Reads what `numbers` were.
  init(_ numbers: [Int]) {
    guard numbers.count == Self.count else { return }
    (rows, created, updated, removed, moved) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  /// Rows of a record that is new.
  init(new rows: Int) {
    self.rows = rows
    created = rows
  }

  /// Rows of a record that changes.
  /// - Parameters:
  ///   - changes: what changes inside it.
  ///   - isSteps: whether each row is a step or card; else the record is one row.
  init(_ rows: Int, _ changes: StepChanges, isSteps: Bool) {
    self.rows = rows
    guard isSteps, !changes.isEmpty || rows > 1 else {
      updated = rows
      return
    }
    created = min(rows, changes.added.count)
    updated = min(rows - created, changes.changed.count)
    removed = changes.removed.count
    moved = changes.moved.count
  }

  /// Counts rows of a record that was written.
  func add(to tally: inout RowTally) {
    tally.created += created
    tally.updated += updated
    tally.unchanged += rows - created - updated
    tally.removed += removed
    tally.moved += moved
  }
}
