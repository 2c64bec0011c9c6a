import Content
import Diagnostics

/// The changes to one item's operations and to its status.
struct QueuePlan {
  /// The change of one operation.
  enum Change {
    /// It is written again.
    case write(SyncOperation)
    /// It is moved to the quarantine.
    case quarantine(reason: String)
  }

  /// The operations that change.
  var changes: [(row: QueueRow, change: Change)] = []
  /// Operations that are missing from the queue; they get their numbers when they are written.
  var additions: [SyncOperation] = []
  /// The status that the item should have; nil if it is correct.
  var status: String?
  /// Whether the item becomes private, because it could not be withdrawn.
  var makesPrivate = false
  /// The item, if it exists.
  var item: QueueItem?
  /// The findings about the item and its operations.
  var findings: [Diagnostic] = []

  /// Whether there is nothing to do.
  var isEmpty: Bool { changes.isEmpty && additions.isEmpty && status == nil && !makesPrivate }
}
