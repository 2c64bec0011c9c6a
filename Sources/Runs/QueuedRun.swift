import Diagnostics
import JSONText
import SQLiteLibrary

/// What a run did that queued something to be sent, and how that is taken back: what was queued may be public
/// meanwhile, so rows that are put back do not undo it.
struct QueuedRun {
  /// What it did: `it queued …`.
  let what: String
  /// The commands that take it back.
  let advice: String

  init(_ run: StateStore.Run, of library: String) {
    let library = TerminalText.shellQuoted(library)
    let queued: String
    let advice: String
    switch run.command {
    case "publish":
      queued = "what is to be published"
      advice = "'fleetkit unpublish \(library) --id …' takes it back; what was never sent leaves the queue."
    case "update":
      queued = "what is to change of what is public"
      advice =
        "'fleetkit queue cancel \(library) --id …' takes out what was not sent; 'fleetkit queue \(library)' lists it."
    default:
      queued = "what is to be taken back, and made it private here"
      advice =
        "'fleetkit queue cancel \(library) --id …' takes out what was not sent, and the item is public again; "
        + "what was sent 'fleetkit publish' publishes under another public id."
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
      "For the old title: fleetkit update \(library) --id \(id) --set-title \(TerminalText.shellQuoted(old)) "
      + "– and then " + advice
  }
}
