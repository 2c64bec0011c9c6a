import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteLibrary

/// Reports which records a source brought at an earlier import and does not have any more. They stay in the library.
struct GoneRecords {
  private let source: CurrentSource
  private let sources: SourceTracker
  private let lookup: RecordLookup
  private let ledger: Ledger
  private let decisions: DecisionStream

  init(
    _ source: CurrentSource, of sources: SourceTracker, _ lookup: RecordLookup, _ ledger: Ledger,
    _ decisions: DecisionStream
  ) {
    self.source = source
    self.sources = sources
    self.lookup = lookup
    self.ledger = ledger
    self.decisions = decisions
  }

  func report(to findings: DiagnosticLog) throws {
    let tally = decisions.tally
    let known = decisions.rejectedKnown
    for kind in [RecordKind.charter, .item] {
      // What was not selected, or could not be read, may be there all the same. A conflict was read.
      if tally[kind].skipped[.notSelected] != nil || tally[kind].rejected > known[kind] { continue }
      if kind == .item, tally.rows.rejected > known.rows { continue }
      var seen = Set<String>()
      for (id, _, file, path) in try ledger.unmet(source.id, kind)
      where sources.hasRead(file, path) && seen.insert(id).inserted {
        guard let line = try lookup.record(kind, id: id) else { continue }
        try report(kind, id, line, Place(file: path == "." ? source.folder : source.folder + "/" + path), to: findings)
      }
    }
  }

  private func report(
    _ kind: RecordKind, _ id: String, _ line: UnsafeBufferPointer<UInt8>, _ place: Place, to findings: DiagnosticLog
  ) throws {
    let (title, type) = try ScratchLine.reading(line) { node in
      (node.member(kind == .item ? "title" : "name")?.string, node.member("content_type")?.string)
    }
    findings.report(
      Diagnostic(
        .goneFromSource, "the \(kind.name) is not in it any more; the library keeps it", at: place,
        record: "\(kind.name) \(id)", title: title))
    var decision = ImportDecision(.gone, kind)
    decision.id = id
    decision.title = title
    decision.type = type
    decision.place = place.description
    decision.before = line
    try decisions.note(decision)
  }
}
