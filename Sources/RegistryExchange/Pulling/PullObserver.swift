import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import Publishing
import SQLiteLibrary
import Validation

/// Records what an import decided about each item.
final class PullObserver: ImportObserver {
  /// The decision about a record.
  struct Seen {
    let action: ImportDecision.Action
    let reason: String?
  }

  private(set) var seen: [String: Seen] = [:]

  func note(_ decision: ImportDecision) throws {
    // A reject or a conflict is final: the record was not written, whatever is decided later.
    if seen[decision.id]?.action == .reject || seen[decision.id]?.action == .conflict { return }
    seen[decision.id] = Seen(action: decision.action, reason: decision.reason?.text)
  }

  func finish(_ tally: Tally) throws {}
}
