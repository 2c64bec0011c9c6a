import Content

/// Reads the records of one source, batch by batch.
///
/// Pulled by one thread. A reader never changes its source. It holds one batch at a time, bounded in bytes.
public protocol ContentReader: AnyObject {
  /// The next records; nil at the end, after which everything was checked that can be checked.
  /// - Throws: `RunFailure` when the source cannot be read on.
  func next() throws -> RecordBatch?

  /// How far the reader is and how far it has to go, in bytes; the total is nil when nobody knows.
  var progress: (done: Int, total: Int?) { get }
}
