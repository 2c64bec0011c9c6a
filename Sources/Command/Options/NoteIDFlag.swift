import ArgumentParser
import FleetKit

/// `--write-ids`: for verbs that read notes and bring them somewhere.
struct NoteIDFlag: ParsableArguments {
  @Flag(
    name: .customLong("write-ids"),
    help: "Put the item's id into the front matter of every note that says none, when the rest is done.")
  var writeIDs = false

  /// Writes the ids that a run has collected, and says so.
  /// - Returns: what was done; nil when nobody asked for it.
  func write(_ context: RunContext, dryRun: Bool) throws -> NoteIDs? {
    guard writeIDs, !dryRun else { return nil }
    return try NoteIDs(writing: context)
  }

  /// Prints what was done on standard error.
  static func say(_ ids: NoteIDs?) {
    guard let ids else { return }
    Terminal.say("Put ids into \(Plural.count(ids.written, "note")).")
    for (file, reason) in ids.left {
      Terminal.say("No id in \(TerminalText.escape(file)): \(reason).")
    }
  }
}

/// The part of a report that is about ids that were written into notes.
struct NoteIDsReport: Encodable {
  private struct Left: Encodable { let file, reason: String }

  private let idsWritten: Int
  private let idsLeft: [Left]

  init(_ ids: NoteIDs) {
    idsWritten = ids.written
    idsLeft = ids.left.map { Left(file: $0.file, reason: $0.reason) }
  }
}
