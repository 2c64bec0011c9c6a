import Diagnostics
import JSONText
import SQLiteLibrary

/// Why a run that queued operations cannot be undone, and what to do instead.
///
/// The queued content may already be public, so putting back rows would not undo it.
struct QueuedRun {
  /// What the run did: `it queued …`.
  let what: String
  /// The commands that reverse it.
  let advice: String

  init(_ run: StateStore.Run, of library: String) {
    let library = TerminalEscaping.shellQuoted(library)
    let queued: String
    let advice: String
    switch run.command {
    case "publish":
      queued = "publications"
      advice = "To withdraw them, run 'fleetkit unpublish \(library) --id …', which also cancels unsent ones."
    case "update":
      queued = "updates of publications"
      advice =
        "To cancel unsent ones, run 'fleetkit queue cancel \(library) --id …'; 'fleetkit queue \(library)' lists them."
    default:
      queued = "withdrawals, and made the items private here"
      advice =
        "To cancel an unsent one and make its item public again, run 'fleetkit queue cancel \(library) --id …'; "
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
