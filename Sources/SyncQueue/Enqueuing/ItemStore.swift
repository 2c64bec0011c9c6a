import Content

/// Where an item and its operations are stored: in the library, or in the sidecar.
///
/// Nothing that is written takes effect before the run commits.
protocol ItemStore: AnyObject {
  /// Returns the operations of an item in queue order.
  func operations(of id: String) throws -> [QueuedOperation]
  /// Appends an operation to the queue.
  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws
  /// Writes the synced publication that the app looks for before it withdraws an item, if there is none.
  func markSent(_ id: String, as publicID: String) throws
  /// Replaces an operation; the new one starts with no tries used.
  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws
  /// Removes an operation from the queue that was never sent.
  func cancel(_ row: QueuedOperation) throws
  /// Keeps an operation in the queue as a record only; it is not sent any more.
  func giveUp(_ row: QueuedOperation) throws
  /// Writes an item's publication state; nil makes it private.
  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws
  /// Writes only an item's sync state.
  func mark(_ item: EnqueuedItem, status: String) throws
  /// Writes the new title of an item.
  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws
}
