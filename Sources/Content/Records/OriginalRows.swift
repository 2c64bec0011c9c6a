/// The rows that a record was made of, as they were typed.
public struct OriginalRows: Sendable {
  /// Their table.
  public let table: RejectTable
  /// The rows byte for byte, with the table's line end between them and none at the end.
  public let bytes: [UInt8]
  /// How many there are.
  public let count: Int

  /// Takes rows of a table.
  public init(table: RejectTable, bytes: [UInt8], count: Int) {
    self.table = table
    self.bytes = bytes
    self.count = count
  }
}
