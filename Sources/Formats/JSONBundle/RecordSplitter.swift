import Content

/// One record's place in the input's buffer, found but not parsed.
struct RecordSpan {
  /// Offset and length in the buffer.
  var start: Int
  var length: Int
  /// Line and column of the first byte, from 1.
  var line: Int
  var column: Int
  /// The kind that the list around it says; nil when only the record itself can say it.
  var listed: RecordKind?
}

/// Finds where the records of a bundle begin and end.
protocol RecordSplitter: AnyObject {
  /// Finds records until about a chunk is full.
  /// - Returns: spans in the input's buffer and the offset up to which it is used up; nil at the end.
  /// - Throws: `RunFailure` when the text around the records is not a bundle's.
  func next() throws -> (spans: [RecordSpan], end: Int)?
}
