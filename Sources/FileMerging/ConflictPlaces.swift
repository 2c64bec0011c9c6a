import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Finds the places of conflicts by reading ours and theirs once more, because merged records have no places.
enum ConflictPlaces {
  static func find(_ report: inout FileMergeReport, _ versions: MergeRunFiles, _ context: RunContext) throws {
    guard !report.conflicts.isEmpty else { return }
    var wanted: [String: [Int]] = [:]
    for (index, conflict) in report.conflicts.enumerated() {
      wanted[key(conflict.kind, conflict.id), default: []].append(index)
    }
    var conflicts = report.conflicts
    for isTheirs in [false, true] {
      let inner = RunContext(findings: DiagnosticLog(), reading: context.reading, now: context.now)
      let sources = (isTheirs ? versions.theirs : versions.ours).sources
      try RecordScan(sources: sources).run(context: inner) { record in
        for index in wanted[key(record.kind, record.id)] ?? [] {
          let conflict = conflicts[index].conflict
          // A pointer refers to our record. In theirs, the pointer is only valid if ours has no value there.
          guard let pointer = JSONPointer(conflict.pointer) else { continue }
          if isTheirs, conflict.ours == nil {
            conflicts[index].theirs = record.place(at: pointer)
          } else if !isTheirs, conflict.ours != nil {
            conflicts[index].ours = record.place(at: pointer)
          }
        }
      }
    }
    report.conflicts = conflicts
  }

  private static func key(_ kind: RecordKind, _ id: String) -> String { kind.name + " " + id }
}
