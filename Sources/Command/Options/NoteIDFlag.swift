import ArgumentParser
import FleetKit

/// The flag `--write-ids`, for verbs that read notes and write their records elsewhere.
struct NoteIDFlag: ParsableArguments {
  @Flag(
    name: .customLong("write-ids"),
    help: "Afterwards, add the item's id to the front matter of each note that has no id.")
  var writeIDs = false

  /// Writes the ids that a run has collected into the notes, and reports the result.
  /// - Returns: the result; nil if the flag is not set.
  func write(_ context: RunContext, dryRun: Bool) throws -> NoteIDs? {
    guard writeIDs, !dryRun else { return nil }
    return try NoteIDs(writing: context)
  }

  /// Prints the result on standard error.
  static func print(_ ids: NoteIDs?) {
    guard let ids else { return }
    Terminal.report("Added ids to \(Plural.count(ids.written, "note")).")
    for (file, reason) in ids.left {
      Terminal.report("No id added to \(TerminalEscaping.escape(file)): \(reason).")
    }
  }
}

/// The part of a report that covers ids written into notes.
struct NoteIDsReport: Encodable {
  private struct Left: Encodable { let file, reason: String }

  private let idsWritten: Int
  private let idsLeft: [Left]

  init(_ ids: NoteIDs) {
    idsWritten = ids.written
    idsLeft = ids.left.map { Left(file: $0.file, reason: $0.reason) }
  }
}
