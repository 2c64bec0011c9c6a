import Content

/// Reads the rows of one table.
protocol TableReading: AnyObject {
  /// The next records; nil at the end.
  func next() throws -> RecordBatch?

  /// How many rows were read below the header, those that cannot be used among them.
  var rowCount: Int { get }

  /// How far it is, in bytes.
  var progress: (done: Int, total: Int?) { get }
}
