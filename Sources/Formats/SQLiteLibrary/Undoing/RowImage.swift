/// What a run did to one row, with what is needed to take it back and to see that nobody was there since.
package struct RowImage: Sendable {
  package enum Operation: UInt8, Sendable {
    case insert = 1
    case update = 2
    case delete = 3
  }

  package let operation: Operation
  package let table: JournalTable
  /// The row's number: where it is after an insertion or a change, where it was before a deletion.
  package let row: Int64
  /// The key after an insertion or a change, before a deletion.
  package let key: [JournalValue]
  /// What was there before: of a change the columns that changed, of a deletion all.
  package let old: [(column: Int, value: JournalValue)]
  /// The hash of what the run left; 0 for a deletion.
  package let hash: UInt64

  /// The key as people see it, and as records are told apart.
  package var id: String { key.isEmpty ? "\(row)" : table == .records ? key[1].string : key[0].string }
}
