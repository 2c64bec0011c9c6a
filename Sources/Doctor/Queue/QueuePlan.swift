import Content
import Diagnostics

/// What becomes of one item's operations and of its status.
struct QueuePlan {
  /// What becomes of one operation.
  enum Change {
    /// It is written anew.
    case write(SyncOperation)
    /// It leaves the queue.
    case quarantine(reason: String)
  }

  /// The operations that change.
  var changes: [(row: QueueRow, change: Change)] = []
  /// Operations that the queue lacks; they get their numbers when they are written.
  var additions: [SyncOperation] = []
  /// The status that the item should have; nil when it has it.
  var status: String?
  /// Whether the item becomes private, because nobody could withdraw it.
  var makesPrivate = false
  /// The item, when there is one.
  var item: QueueItem?
  /// What is to be said about it.
  var findings: [Diagnostic] = []

  /// Whether there is nothing to do.
  var isEmpty: Bool { changes.isEmpty && additions.isEmpty && status == nil && !makesPrivate }
}
