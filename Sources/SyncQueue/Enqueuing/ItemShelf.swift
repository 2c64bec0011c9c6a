import Content

/// Where an item and its operations are kept: the library, or beside it.
///
/// Nothing that is written counts before the run commits.
protocol ItemShelf: AnyObject {
  /// The operations of an item, first in, first out.
  func operations(of id: String) throws -> [QueuedOperation]
  /// Puts an operation at the end of the queue.
  func add(_ operation: QueueOperation, of id: String, payload: String, now: Timestamp) throws
  /// Writes the synced publication that the app looks for before it withdraws an item, where there is none.
  func markSent(_ id: String, as publicID: String) throws
  /// Puts another operation in the place of one; it begins anew.
  func replace(_ row: QueuedOperation, with operation: QueueOperation, payload: String) throws
  /// Takes an operation out of the queue that was never sent.
  func cancel(_ row: QueuedOperation) throws
  /// Leaves an operation in the queue as a memory only: nobody sends it any more.
  func giveUp(_ row: QueuedOperation) throws
  /// Writes an item's state of publication; nil makes it private.
  func mark(_ item: EnqueuedItem, _ publication: Publication?, status: String) throws
  /// Writes an item's state of synchronisation alone.
  func mark(_ item: EnqueuedItem, status: String) throws
  /// Writes the title that an item gets.
  func rename(_ item: EnqueuedItem, from old: String, now: Timestamp) throws
}
