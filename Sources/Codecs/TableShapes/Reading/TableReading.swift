import Content

/// Reads the rows of one table.
protocol TableReading: AnyObject {
  /// The next records; nil at the end.
  func next() throws -> RecordBatch?

  /// How far it is, in bytes.
  var progress: (done: Int, total: Int?) { get }
}
