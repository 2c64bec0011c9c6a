import Content

/// Items of a library, batch by batch, in the order of their ids.
protocol ItemBatches: AnyObject {
  /// The next items, about a megabyte of them; nil at the end.
  func next() throws -> RecordBatch?
}
