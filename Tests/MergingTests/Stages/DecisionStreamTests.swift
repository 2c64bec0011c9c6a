import Content
import Diagnostics
import Interchange
import JSONText
import TestSupport
import Testing

@testable import Merging

/// The stream of decisions, tested without a database: every consumer receives the same decisions.
@Suite struct DecisionStreamTests {
  private final class Observer: ImportObserver {
    var actions: [ImportDecision.Action] = []
    var codes: [String?] = []
    var conflicts: [String] = []
    var kept: [SkipReason] = []
    var stayed: [String] = []

    func receive(_ decision: ImportDecision) throws {
      actions.append(decision.action)
      codes.append(decision.code)
      conflicts += decision.conflicts.map(\.pointer)
      if case .kept(let reason) = decision.reason { kept.append(reason) }
      #expect(decision.id == StageSupport.id)
    }

    func stays(_ kind: RecordKind, id: String, source: String) { stayed.append(id) }
    func finish(_ tally: Tally) throws {}
  }

  @Test func everyConsumerSeesTheSame() throws {
    let scratch = Scratch()
    let observer = Observer()
    let context = RunContext(now: StageSupport.now)
    let folder = try OpenFolder(named: scratch.path)
    let stream = DecisionStream(context, observer, ConflictPage("run.conflicts.md", in: folder, .ofImport))
    let rejects = RejectsWriter(base: scratch["run"], asArray: false)
    rejects.observer = { [unowned stream] in try stream.receive(rejected: $0) }
    var tally = Tally()
    let part = MergeConflict(pointer: "/title", label: "title", base: nil, ours: "1", theirs: "2")
    let library = try StageSupport.line(title: "Leaving")
    try stream.counting(into: &tally, rejects) {
      try StageSupport.incoming(try StageSupport.line()) { incoming in
        stream.unchanged(incoming, id: nil)
        try stream.kept(incoming, .libraryNewer)
        try stream.conflict(
          incoming, .mergeConflict, .bothChanged, before: Array(library.utf8), parts: [part], nil)
        try stream.reject(incoming, .itemWithoutBody, "it has no body", isKnown: true)
        try stream.changed(incoming, isNew: true, RowDelta()) { try stream.send(ImportDecision(.create, incoming)) }
      }
    }
    let items = tally[.item]
    #expect(items.unchanged == 1 && items.created == 1 && items.updated == 0 && items.rejected == 2)
    #expect(items.skipped == [.libraryNewer: 1])
    #expect(observer.actions == [.keep, .conflict, .reject, .create])
    #expect(observer.codes == [nil, DiagnosticCode.mergeConflict.id, DiagnosticCode.itemWithoutBody.id, nil])
    #expect(observer.conflicts == ["/title"])
    #expect(observer.kept == [.libraryNewer])
    #expect(observer.stayed == [StageSupport.id])
    #expect(stream.rejectedKnown[.item] == 2)
    #expect(context.findings.counts.values.reduce(0, +) == 2)
    try stream.conflicts.publish()
    try rejects.publish()
    #expect(scratch.names == ["run.conflicts.md", "run.jsonl", "run.reasons.jsonl"])
  }

  /// A run that stops at the first invalid record counts no record as rejected.
  @Test func aRunThatStopsStops() throws {
    let scratch = Scratch()
    let context = RunContext(onInvalid: .stop, now: StageSupport.now)
    let stream = DecisionStream(
      context, nil, ConflictPage("run.conflicts.md", in: try OpenFolder(named: scratch.path), .ofImport))
    var tally = Tally()
    #expect(throws: RunFailure.self) {
      try stream.counting(into: &tally, RejectsWriter(base: scratch["run"], asArray: false)) {
        try StageSupport.incoming(try StageSupport.line()) {
          try stream.reject($0, .itemWithoutBody, "it has no body")
        }
      }
    }
    #expect(tally[.item].rejected == 0)
    #expect(scratch.names.isEmpty)
  }
}
