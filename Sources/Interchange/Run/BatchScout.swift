import Content

/// Looks at batches between reader and writer, on a thread of its own, so that the writer finds prepared what it will
/// ask for.
///
/// What it finds goes with the batch (`RecordBatch.found`). It may be asked to stop at any moment, and never fails: what
/// it does not find out, the writer finds out itself.
public protocol BatchScout: AnyObject, Sendable {
  /// Looks at a batch that nobody else has in hand.
  func scout(_ batch: RecordBatch)
}
