import Content
import Diagnostics

/// The changes to one item's operations and to its status.
struct QueuePlan {
  /// The change of one operation.
  enum Change {
    /// The operation is written again.
    case write(SyncOperation)
    /// The operation is moved to the quarantine.
    case quarantine(reason: String)
  }

  /// The operations that change.
  var changes: [(row: QueueRow, change: Change)] = []
  /// Operations that are missing from the queue. They get their numbers when they are written.
  var additions: [SyncOperation] = []
  /// The status that the item should have; nil if it is correct.
  var status: String?
  /// Whether the item becomes private, because it could not be withdrawn while public.
  var makesPrivate = false
  /// The item, if it exists.
  var item: QueueItem?
  /// The findings about the item and its operations.
  var findings: [Diagnostic] = []

  /// Whether the plan contains no changes.
  var isEmpty: Bool { changes.isEmpty && additions.isEmpty && status == nil && !makesPrivate }
}
