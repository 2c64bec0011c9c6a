import ProjectConfiguration
import FleetKitCore
import Foundation
import Reports
import Validation

/// Checks every record of some sources: structure, publish rules, lint.
///
/// Reading and checking overlap on two threads. Memory is bounded by a few batches and what rules remember (a few
/// bytes a record). Changes nothing.
public struct ValidationRun: Sendable {
  /// What is checked.
  public var sources: SourceList
  /// Which records are checked; nil checks all.
  public var selection: Selection?
  /// How notes are read.
  public var reading = ReadingOptions()
  /// What is looked for.
  public var options: ValidationOptions
  /// What the user configured, by the root that was named on the command line.
  public var configurations: [String: Configuration]
  /// Paths that lead nowhere; findings like others.
  public var failures: [(path: String, failure: RunFailure)] = []
  /// Called now and then with bytes done, bytes in all (nil when unknown) and records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?
  /// Who else gets the records once they are checked; nil for nobody.
  var follower: (any ValidationFollower)?
  /// Where notes that say no id are noted; filled when `reading.collectsIDs`.
  var noteIDs: NoteIDLog?

  /// Plans a validation.
  public init(
    sources: SourceList, options: ValidationOptions = ValidationOptions(), configurations: [String: Configuration] = [:]
  ) {
    self.sources = sources
    self.options = options
    self.configurations = configurations
  }

  /// Runs to the end; a source that cannot be read is a finding, and the others are checked all the same.
  /// - Throws: `RunFailure` when it is interrupted, or what the report throws.
  public func run(report: any FindingReport) throws -> ValidationOutcome {
    let check = try SourceCheck(self, report: report)
    try check.sink.begin()
    for (path, failure) in failures {
      try check.fail(path, failure)
      try check.sink.checked(path)
    }
    for entry in sources.entries { try check.check(entry) }
    return try check.end()
  }
}

/// Gets the records of a validation as they pass, so that what is made of them need not read them again.
protocol ValidationFollower: AnyObject, Sendable {
  /// Sees a batch as it was read, before a selection takes records out of it. Called on the thread that reads.
  func read(_ batch: RecordBatch)

  /// Takes a batch over that was checked.
  /// - Parameter failed: whether something was found by now that fails the run.
  /// - Returns: what is wrong with it beside what rules say.
  func take(_ batch: RecordBatch, failed: Bool) throws -> [Diagnostic]
}

/// One run over all sources.
final class SourceCheck {
  private let run: ValidationRun
  let sink: FindingSink
  private var validators: [String: RecordValidator] = [:]
  private var failures: [RunFailure] = []
  private var status = ExitStatus.success
  /// Why the source that is checked now cannot be read any further.
  private var failed: RunFailure?
  private var fixable: [FixableFinding] = []
  private var explanations: [Explanation] = []
  private let structure: BatchStructure
  /// The source that is checked now.
  private var current: SourceList.Entry?

  init(_ run: ValidationRun, report: any FindingReport) throws {
    self.run = run
    structure = try BatchStructure()
    let byFile = FileConfigurations(run.sources, run.configurations)
    sink = FindingSink(
      report, limit: run.options.maxFindings, baseline: run.options.recorder == nil ? run.options.baseline : nil,
      recorder: run.options.recorder,
      fails: { severity, file in
        guard case .from(let least) = run.options.failOn else {
          return (byFile[file]?.failOn ?? .error).severity.map { severity >= $0 } ?? false
        }
        return least.map { severity >= $0 } ?? false
      }
    ) { code, severity, file in
      guard let configuration = byFile[file] else { return severity }
      guard let weight = configuration.rules.severity(of: code, file: file) else { return nil }
      // A finding may matter more or less than its kind does; what nobody configured stays as it is.
      return weight == code.severity ? severity : weight
    }
  }

  /// Checks one source to its end.
  func check(_ entry: SourceList.Entry) throws {
    // Nothing is kept back: the sink decides what is shown.
    let findings = DiagnosticLog(keepPerCode: .max)
    let configuration = run.configurations[entry.root]
    var reading = run.reading
    reading.goesOn = true
    let context = RunContext(
      findings: findings, reading: reading, leavesOut: { configuration?.excludes($0) ?? false },
      now: Timestamp(milliseconds: 0))
    let onProgress = run.onProgress
    let selection = run.selection
    let structure = structure
    let follower = run.follower
    let queue = BoundedQueue<StructuredBatch>.filled(capacity: 3) { queue in
      let reader = try entry.format.reader(of: entry.source, context: context)
      var records = 0
      var selected = selection.map(SelectedFindings.init)
      func kept(_ batch: RecordBatch) -> [Diagnostic] {
        let reported = findings.drain()
        return selected?.keep(batch, reported) ?? reported
      }
      var last: (locator: any RecordLocator, traits: SourceTraits)?
      while let batch = try reader.next() {
        records += batch.count
        onProgress?(reader.progress.done, reader.progress.total, records)
        last = (batch.locator, batch.traits)
        follower?.read(batch)
        if !queue.send(try structure.check(batch, reported: kept(batch))) { return }
        try Interruption.check()
      }
      // Findings that the reader reports at the end are about records that it gave out before.
      guard let last else { return }
      let rest = RecordBatch(locator: last.locator, traits: last.traits, capacity: 64)
      _ = queue.send(StructuredBatch(batch: rest, reported: kept(rest)))
    }
    // The reader stops when its batches are not taken any more.
    defer { queue.abandon() }
    let validator = validator(for: entry)
    current = entry
    defer { current = nil }
    let holdsFiles = entry.holdsFiles
    if holdsFiles { sink.opened(folder: entry.source.path) }
    // The files of a vault are done batch by batch; the last batch may have the locator of the one before.
    var last: AnyObject?
    while let checked = try receive(queue) {
      try Interruption.check()
      sink.count(records: checked.batch.count + checked.batch.rejectedCount)
      try validator.check(checked)
      for finding in try follower?.take(checked.batch, failed: sink.hasFailed) ?? [] { try sink.add(finding) }
      let locator = checked.batch.locator
      if holdsFiles, last !== locator as AnyObject {
        last = locator as AnyObject
        for file in locator.files { try sink.checked(file) }
      }
    }
    explanations += context.explanations.all
    run.noteIDs?.add(contentsOf: context.noteIDs)
    // Without a record there is nobody to make their places more exact.
    try take(findings.drain().map { RuleReport.Entry(finding: $0, fix: nil) })
    if let failure = failed {
      failed = nil
      if let found = PackDamage.findings(entry, failure) {
        for finding in found { try sink.add(finding) }
        try sink.checked(entry.source.path)
      } else {
        try fail(entry.source.path, failure)
      }
    }
    if !holdsFiles { try sink.checked(entry.source.path) }
  }

  /// The next batch; nil at the end of the source, or where it cannot be read any further.
  ///
  /// Only what the reader throws is about the source: a report that cannot be written ends the run.
  private func receive(_ queue: BoundedQueue<StructuredBatch>) throws -> StructuredBatch? {
    do {
      return try queue.receive()
    } catch let failure as RunFailure where failure.status != .interrupted && failure.status != .internalError {
      failed = failure
      return nil
    }
  }

  private func take(_ entries: [RuleReport.Entry]) throws {
    let source = current
    for entry in entries {
      if try sink.add(entry.finding), run.options.collectsFixes, var fix = entry.fix {
        // A file of a pack has checksums in three other files.
        if source?.format.descriptor.holdsFiles ?? false { fix = fix.inside(source?.source.path ?? "") }
        fixable.append(FixableFinding(finding: entry.finding, fix: fix))
      }
    }
  }

  /// A source that cannot be read to its end: content that is wrong is a finding like others, the rest a failure.
  func fail(_ path: String, _ failure: RunFailure) throws {
    if let finding = failure.finding {
      try sink.add(finding)
      return
    }
    failures.append(failure)
    status = status.combined(with: failure.status)
    try sink.add(
      Diagnostic(
        .unreadableSource, failure.message, at: Place(file: path), fix: failure.advice))
  }

  private func validator(for entry: SourceList.Entry) -> RecordValidator {
    let configuration = run.configurations[entry.root]
    let key = configuration?.path ?? ""
    if let known = validators[key] { return known }
    let sink = sink
    let isForPublishing = run.options.profile.map { $0 == .publish } ?? (configuration?.profile == .publish)
    let made = RecordValidator(
      rules: isForPublishing ? RuleSet.all : RuleSet.lint, limits: configuration?.limits ?? RuleLimits(),
      severity: { code in
        configuration.map { $0.rules.severityAnywhere(of: code) != nil } ?? true ? code.severity : nil
      }, wants: { code, severity, file in sink.wants(code, severity, file) },
      listens: { sink.listens }, take: { [unowned self] in try take($0) })
    validators[key] = made
    return made
  }

  /// Says what could be known only at the end, and ends the report.
  func end() throws -> ValidationOutcome {
    for key in validators.keys.sorted() {
      try validators[key]?.finish()
    }
    if sink.hasFailed { status = status.combined(with: .findings) }
    let summary = try sink.end(status: status, failOn: run.options.leastFailing(run.configurations.values))
    return ValidationOutcome(
      summary: summary, status: status, failures: failures, fixable: fixable,
      recordedBaseline: sink.recorded(over: run.options.baseline),
      unusedBaseline: sink.unusedBaseline, explanations: explanations)
  }
}
