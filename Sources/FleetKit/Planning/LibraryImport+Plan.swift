import FleetKitCore
import Foundation
import Interchange
import Merging

extension LibraryImport {
  /// What an import would do.
  public struct Rehearsal: Sendable {
    /// What became of every record, as of an import that was done.
    public let report: Report
    /// What changes, in groups.
    public let outline: PlanOutline
  }

  /// Does everything but the last step, and says what would change.
  /// - Parameters:
  ///   - context: a context of a dry run.
  ///   - named: how many records of a group are named.
  /// - Throws: what `run` throws.
  public func rehearse(context: RunContext, named: Int = 3) throws -> Rehearsal {
    let recorder = try PlanRecorder(keepsAll: false, named: named)
    let report = try run(context: context, observer: recorder)
    return Rehearsal(report: report, outline: recorder.outline)
  }

  /// Does everything but the last step, and writes what would change into a file: `PlanApplication` does exactly that.
  /// - Parameters:
  ///   - path: the file.
  ///   - overwrites: whether a file of that name may be replaced.
  ///   - context: a context of a dry run.
  ///   - named: how many records of a group are named.
  /// - Throws: what `run` throws, and `RunFailure`: 4 when the file is there already, or when the import cannot be
  ///   planned because it cannot be done again; 7 when a source was written to meanwhile.
  @discardableResult
  public func plan(to path: String, overwrites: Bool, context: RunContext, named: Int = 3) throws -> Rehearsal {
    var head = PlanHead()
    do {
      head.request = try ImportRequest(self, context: context)
    } catch let error as RunFailure {
      throw RunFailure(
        error.status, error.message.replacing("do a run again", with: "plan an import"),
        advice: "Name files, or import without a plan.")
    }
    for entry in sources.entries where Self.isSame(entry.source.path, path) {
      throw RunFailure(.usage, "write the plan '\(path)': it is one of the sources", advice: "Choose another name.")
    }
    if Self.isSame(path, library) {
      throw RunFailure(.usage, "write the plan '\(path)': it is the library", advice: "Choose another name.")
    }
    let file = try AtomicFile(path, overwrites: overwrites, canOverwrite: true)
    let paths = try PlanSources.paths(sources, retry: retry)
    let state = PlanSources.state(of: paths)
    let (sources, retry) = (sources, retry)
    // Reading the sources once more, beside the import that reads them too.
    let digests = Background { try PlanSources(sources, retry: retry).files }
    let recorder = try PlanRecorder(keepsAll: true, named: named)
    if let losses = recorder.losses { context.losses.observe { losses.add($0) } }
    defer { context.losses.observe(nil) }
    var fingerprint: LateFingerprint?
    // A plan lists renames, so applying it accepts them.
    var job = self
    job.renames = .accept
    let report = try job.run(context: context, observer: recorder) {
      fingerprint = $0
      head.run = $1
    }
    // Read beside the import; a plan has no other way to change the library.
    head.fingerprint = try fingerprint?.value()
    head.sources = PlanSources(files: try digests.wait())
    guard PlanSources.state(of: paths) == state, head.sources.files.map(\.path) == paths else {
      throw RunFailure(
        .locked, "plan an import into '\(library)': a source was written to meanwhile; there is no plan",
        advice: "Wait until it is written, and plan again.")
    }
    head.library = PlanSources.absolute(library)
    head.now = context.now
    head.counts = PlanHead.counts(report.summary.tally, losses: context.losses.total)
    try PlanFile.write(head, recorder, to: file)
    return Rehearsal(report: report, outline: recorder.outline)
  }
}
