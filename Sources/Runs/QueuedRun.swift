import Diagnostics
import JSONText
import SQLiteLibrary

/// The reason why a run that queued operations cannot be undone, and what to do instead.
///
/// The queued content may already be public, so restoring rows would not undo the run.
struct QueuedRun {
  /// A description of what the run did: `it queued …`.
  let what: String
  /// The commands that reverse the run.
  let advice: String

  init(_ run: StateStore.Run, of library: String) {
    let library = TerminalEscaping.shellQuoted(library)
    let queued: String
    let advice: String
    switch run.command {
    case "publish":
      queued = "publications"
      advice = "To withdraw them, run 'fleetkit unpublish \(library) --id …', which also cancels unsent publications."
    case "update":
      queued = "updates of publications"
      advice =
        "To cancel unsent updates, run 'fleetkit queue cancel \(library) --id …'; "
        + "to list them, run 'fleetkit queue \(library)'."
    default:
      queued = "withdrawals, and made the items private here"
      advice =
        "To cancel an unsent withdrawal and make its item public again, run 'fleetkit queue cancel \(library) --id …'; "
        + "after it was sent, run 'fleetkit publish', which publishes the item under another public id."
    }
    guard let item = run.detail.flatMap({ try? JSONDocument(parsing: $0) })?.root["renamed"],
      let id = item["id"]?.string, let old = item["from"]?.string, let new = item["to"]?.string
    else {
      what = "it queued \(queued)"
      self.advice = advice
      return
    }
    what = "it queued \(queued), and renamed '\(old)' to '\(new)'"
    self.advice =
      "To restore the old title, run: fleetkit update \(library) --id \(id) --set-title "
      + "\(TerminalEscaping.shellQuoted(old)) – then: " + advice
  }
}
