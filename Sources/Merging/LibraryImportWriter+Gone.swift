import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteLibrary

extension LibraryImportWriter {
  /// Whether a file of the current source was read in this run, by itself or as a part of something larger.
  func hasRead(_ file: Int64, _ path: String) -> Bool {
    filesRead.contains(file) || SourceFile.covers(pathsRead, path)
  }

  /// Says which records the current source brought earlier and does not have any more. They stay in the library.
  func reportGone(_ source: Int64, _ folder: String, _ tally: Tally) throws {
    if isRetry { return }
    for kind in [RecordKind.charter, .item] {
      // What was not selected, or could not be read, may be there all the same. A conflict was read.
      if tally[kind].skipped[.notSelected] != nil || tally[kind].rejected > rejectedKnown[kind] { continue }
      if kind == .item, tally.rows.rejected > rejectedKnown.rows { continue }
      var seen = Set<String>()
      for (id, _, file, path) in try ledger.unmet(source, kind)
      where hasRead(file, path) && seen.insert(id).inserted {
        guard let line = try record(kind, id: id) else { continue }
        let place = Place(file: path == "." ? folder : folder + "/" + path)
        let node = try parse(line, &existingTape)
        let title = node.member(kind == .item ? "title" : "name")?.string
        context.findings.report(
          Diagnostic(
            .goneFromSource, "the \(kind.name) is not in it any more; the library keeps it",
            at: place, record: "\(kind.name) \(id)", title: title))
        guard let observer else { continue }
        var decision = ImportDecision(.gone, kind)
        decision.id = id
        decision.title = title
        decision.type = node.member("content_type")?.string
        decision.place = place.description
        decision.before = line
        try observer.note(decision)
      }
    }
  }
}
