import Content

/// The store of an item and its operations: the library or the sidecar.
///
/// Nothing that is written takes effect before the run commits.
protocol ItemStore: AnyObject {
  /// Returns the operations of an item in queue order.
  func operations(of id: String) throws -> [QueuedOperation]
  /// Appends an operation to the queue.
  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws
  /// Writes a synced publication, if there is none. The app looks for one before it withdraws an item.
  func markSent(_ id: String, as publicID: String) throws
  /// Replaces an operation; no tries of the new one are used up.
  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws
  /// Removes an operation that was never sent from the queue.
  func cancel(_ row: QueuedOperation) throws
  /// Keeps an operation in the queue only as a record; it is no longer sent.
  func giveUp(_ row: QueuedOperation) throws
  /// Writes an item's publication state; nil makes it private.
  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws
  /// Writes only an item's sync state.
  func mark(_ item: EnqueuedItem, status: String) throws
  /// Writes an item's new title.
  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws
}
