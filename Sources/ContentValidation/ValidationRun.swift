import ArchiveIO
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import ProjectConfiguration
import RecordSources
import Reports
import Validation

/// Checks the structure of every record in some sources, and applies the publish rules and lint.
///
/// Reading and checking run in parallel on two threads. Memory is bounded by a few batches and the rules' state (a few
/// bytes per record). A run does not change any files.
public struct ValidationRun: Sendable {
  /// The sources that are checked.
  public var sources: SourceList
  /// The records that are checked; nil checks all.
  public var selection: Selection?
  /// How notes are read.
  public var reading = ReadingOptions()
  /// The options of the checks.
  public var options: ValidationOptions
  /// The configurations, by the root that the user named on the command line.
  public var configurations: [String: Configuration]
  /// Paths that cannot be resolved. They are reported as findings.
  public var failures: [(path: String, failure: RunFailure)] = []
  /// Called occasionally with the bytes done, the total number of bytes (nil if unknown) and the number of records
  /// done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?
  /// Receives the records after they have been checked; may be nil.
  package var follower: (any ValidationObserver)?
  /// Collects notes without an id. Filled only if `reading.collectsIDs` is true.
  package var noteIDs: NoteIDLog?

  /// Plans a validation.
  public init(
    sources: SourceList, options: ValidationOptions = ValidationOptions(), configurations: [String: Configuration] = [:]
  ) {
    self.sources = sources
    self.options = options
    self.configurations = configurations
  }

  /// Runs to the end. A source that cannot be read becomes a finding, and the others are still checked.
  /// - Throws: `RunFailure` if the run is interrupted, or any error of the report.
  public func run(report: any FindingReport) throws -> ValidationOutcome {
    let check = try SourceCheck(self, report: report)
    try check.sink.begin()
    for (path, failure) in failures {
      try check.fail(path, failure)
      try check.sink.checked(path)
    }
    try check.check(sources.entries)
    return try check.end()
  }
}

/// Receives the records during a validation, so that they need not be read again for other purposes.
package protocol ValidationObserver: AnyObject, Sendable {
  /// Receives a batch as it was read, before a selection removes records from it. Called on the reading thread.
  func read(_ batch: RecordBatch)

  /// Receives a batch that was checked.
  /// - Parameter failed: whether any finding so far makes the run fail.
  /// - Returns: Findings in addition to what the rules reported.
  func receive(_ batch: RecordBatch, failed: Bool) throws -> [Diagnostic]
}

/// One run over all sources.
private final class SourceCheck {
  private let run: ValidationRun
  let sink: FindingSink
  private var validators: [String: RecordValidator] = [:]
  private var failures: [RunFailure] = []
  private var status = ExitStatus.success
  /// The reason why the current source cannot be read any further.
  private var failed: RunFailure?
  private var fixable: [FixableFinding] = []
  private var explanations: [Explanation] = []
  /// The current source.
  private var current: SourceList.Entry?

  init(_ run: ValidationRun, report: any FindingReport) throws {
    self.run = run
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
      // A finding's severity may differ from its code's. Without a configured severity, it stays unchanged.
      return weight == code.severity ? severity : weight
    }
  }

  /// Sources that are read together: one source, or small files of one folder and format.
  private struct Unit {
    var entries: [SourceList.Entry]
    var size: Int

    /// The maximum size in bytes. A larger unit would not fit into a batch and would only wait.
    static let most = 1 << 18

    func canHold(_ other: SourceList.Entry) -> Bool {
      guard let size = other.size, let first = entries.first, first.size != nil else { return false }
      return other.root == first.root && other.format.descriptor.id == first.format.descriptor.id
        && self.size + size <= Self.most
    }

    func prefix(_ count: Int) -> Unit { Unit(entries: Array(entries.prefix(count)), size: 0) }
  }

  /// The messages that are sent about a unit while it is read, in this order.
  private enum Part {
    case begin(Unit, RunContext)
    case batch(StructuredBatch)
    /// The reason why the unit cannot be read any further.
    case failed(RunFailure)
    /// The sources of the unit that were read.
    case end(Unit)
  }

  private static func units(_ entries: [SourceList.Entry]) -> [Unit] {
    var units: [Unit] = []
    for entry in entries {
      if units.last?.canHold(entry) ?? false {
        units[units.count - 1].entries.append(entry)
        units[units.count - 1].size += entry.size ?? 0
      } else {
        units.append(Unit(entries: [entry], size: entry.size ?? 0))
      }
    }
    return units
  }

  /// Checks the sources to their ends. Reading, schema validation and rules run in parallel; findings arrive in the
  /// order of the sources.
  func check(_ entries: [SourceList.Entry]) throws {
    let units = Self.units(entries)
    let run = run
    // An observer receives batches one after the other. Reading several files at a time is faster only for small files.
    let threads = run.follower == nil && units.count > 2 ? 2 : 1
    let parts = OrderedMap<Part>(units, threads: threads, ahead: 3, capacity: 3) { _ in
      let structure = try BatchStructure()
      return { unit, outputs in try Self.read(unit, run, structure, outputs) }
    }
    var context: RunContext?
    // A vault's files are finished batch by batch; the last batch may have the same locator as the batch before it.
    var last: AnyObject?
    while let part = try parts.next() {
      try Interruption.check()
      switch part {
      case .begin(let begun, let new):
        context = new
        current = begun.entries[0]
        last = nil
        if begun.entries[0].holdsFiles { sink.opened(folder: begun.entries[0].source.path) }
      case .batch(let checked):
        try check(checked)
        let locator = checked.batch.locator
        if current?.holdsFiles ?? false, last !== locator as AnyObject {
          last = locator as AnyObject
          for file in locator.files { try sink.checked(file) }
        }
      case .failed(let failure): failed = failure
      case .end(let ended):
        guard let context else { break }
        try end(ended, context)
      }
    }
  }

  private func check(_ checked: StructuredBatch) throws {
    guard let entry = current else { return }
    sink.count(records: checked.batch.count + checked.batch.rejectedCount)
    try validator(for: entry).check(checked)
    for finding in try run.follower?.receive(checked.batch, failed: sink.hasFailed) ?? [] { try sink.add(finding) }
  }

  private func end(_ unit: Unit, _ context: RunContext) throws {
    explanations += context.explanations.all
    run.noteIDs?.add(contentsOf: context.noteIDs)
    // Without a record, the places of these findings cannot be made more exact.
    try add(context.findings.drain().map { RuleReport.Entry(finding: $0, fix: nil) })
    if let failure = failed, let entry = unit.entries.first {
      failed = nil
      if let found = PackDamage.findings(entry, failure) {
        for finding in found { try sink.add(finding) }
        try sink.checked(entry.source.path)
      } else {
        try fail(entry.source.path, failure)
      }
    }
    for entry in unit.entries where !entry.holdsFiles { try sink.checked(entry.source.path) }
    current = nil
  }

  /// Reads a unit to its end, on one of the map's threads.
  private static func read(
    _ unit: Unit, _ run: ValidationRun, _ structure: BatchStructure, _ outputs: BoundedQueue<Part>
  ) throws {
    // All findings are kept, because the sink decides which ones are shown.
    let findings = DiagnosticLog(keepPerCode: .max)
    let configuration = run.configurations[unit.entries[0].root]
    var reading = run.reading
    reading.goesOn = true
    let context = RunContext(
      findings: findings, reading: reading, leavesOut: { configuration?.excludes($0) ?? false },
      now: Timestamp(milliseconds: 0)
    ).selecting(run.selection)
    let entry = unit.entries[0]
    var joined: (any ContentReader)?
    if unit.entries.count > 1 {
      joined = try? entry.format.reader(ofFiles: unit.entries.map(\.source), context: context)
      guard joined != nil else {
        for entry in unit.entries { try read(Unit(entries: [entry], size: 0), run, structure, outputs) }
        return
      }
    }
    guard outputs.send(.begin(unit, context)) else { return }
    do {
      let reader = try joined ?? entry.format.reader(of: entry.source, context: context)
      try read(reader, findings, run, structure, outputs)
    } catch let unread as UnreadFile {
      guard outputs.send(.end(unit.prefix(unread.index))) else { return }
      // When the file is read alone, it reports its own error.
      try read(Unit(entries: [unit.entries[unread.index]], size: 0), run, structure, outputs)
      let rest = unit.entries[(unread.index + 1)...]
      if !rest.isEmpty { try read(Unit(entries: Array(rest), size: 0), run, structure, outputs) }
      return
    } catch let failure as RunFailure where failure.status != .interrupted && failure.status != .internalError {
      _ = outputs.send(.failed(failure))
    }
    _ = outputs.send(.end(unit))
  }

  private static func read(
    _ reader: any ContentReader, _ findings: DiagnosticLog, _ run: ValidationRun, _ structure: BatchStructure,
    _ outputs: BoundedQueue<Part>
  ) throws {
    var records = 0
    var selected = run.selection.map(SelectedFindings.init)
    func filter(_ batch: RecordBatch) -> [Diagnostic] {
      let reported = findings.drain()
      return selected?.filter(batch, reported) ?? reported
    }
    var last: (locator: any RecordLocator, traits: SourceTraits)?
    while let batch = try reader.next() {
      records += batch.count
      run.onProgress?(reader.progress.done, reader.progress.total, records)
      last = (batch.locator, batch.traits)
      run.follower?.read(batch)
      if !outputs.send(.batch(try structure.check(batch, reported: filter(batch)))) { return }
      try Interruption.check()
    }
    // Findings that the reader reports at the end are about records that it has already returned.
    guard let last else { return }
    let rest = RecordBatch(locator: last.locator, traits: last.traits, capacity: 64)
    _ = outputs.send(.batch(StructuredBatch(batch: rest, reported: filter(rest))))
  }

  private func add(_ entries: [RuleReport.Entry]) throws {
    let source = current
    for entry in entries {
      if try sink.add(entry.finding), run.options.collectsFixes, var fix = entry.fix {
        // The checksums of a file in a pack are stored in three other files, so the file is not edited in place.
        if source?.format.descriptor.holdsFiles ?? false { fix = fix.inside(source?.source.path ?? "") }
        fixable.append(FixableFinding(finding: entry.finding, fix: fix))
      }
    }
  }

  /// Reports a source that cannot be read to its end. Invalid content is a finding, and any other problem is a failure.
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
      listens: { sink.listens }, receive: { [unowned self] in try add($0) })
    validators[key] = made
    return made
  }

  /// Reports the findings that are known only at the end, then ends the report.
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

/// The configuration of each file with findings, including the files inside a folder that is one source.
private struct FileConfigurations: Sendable {
  private let byPath: [String: Configuration]

  /// Makes the index from the configurations of the sources, each of which belongs to a root that the user named on the
  /// command line.
  init(_ sources: SourceList, _ configurations: [String: Configuration]) {
    var byPath: [String: Configuration] = [:]
    for entry in sources.entries { byPath[Self.trimmed(entry.source.path)] = configurations[entry.root] }
    self.byPath = byPath
  }

  /// Returns a file's configuration: its own, or that of the innermost source that contains the file; nil if it has
  /// neither.
  subscript(_ file: String) -> Configuration? {
    if byPath.isEmpty { return nil }
    var path = file[...]
    while true {
      if let found = byPath[Self.trimmed(path)] { return found }
      guard let slash = path.lastIndex(of: "/") else { break }
      if slash == path.startIndex { return byPath["/"] }
      path = path[..<slash]
    }
    // Relative names do not contain the working folder.
    return file.hasPrefix("/") ? nil : byPath["."]
  }

  /// Returns a folder's name without a slash at its end, so that each folder has only one name.
  private static func trimmed(_ path: some StringProtocol) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }
}

/// Keeps the selected records and the reader's findings about them. Findings about other records are dropped.
///
/// Findings that are not about a record (but about a file, or about text that cannot be read) are always kept. Memory
/// grows with the ids of a library's selected rows and with the names of a vault's notes that were not selected. Other
/// sources need no additional memory.
private struct SelectedFindings {
  private let selection: Selection
  /// Selected rows, by id. A library's reader may report them later.
  private var rows: Set<String> = []
  /// Files in a multi-file source that have records but no selected ones.
  private var unselectedFiles: Set<String> = []

  init(_ selection: Selection) { self.selection = selection }

  /// Removes the records that were not selected from a batch and returns the reader's remaining findings.
  mutating func filter(_ batch: RecordBatch, _ findings: [Diagnostic]) -> [Diagnostic] {
    if batch.traits.hasManyFiles { return filterFiles(batch, findings) }
    var starts: [(line: Int, column: Int, isSelected: Bool)] = []
    var isSelected: [Bool] = []
    for record in batch.records {
      let takes = selection.takes(record)
      isSelected.append(takes)
      starts.append((record.slot.sourceLine, record.slot.sourceColumn, takes))
      if takes, let row = record.place().row { rows.insert(row.id) }
    }
    for rejected in batch.rejected {
      if let position = rejected.position { starts.append((position.line, position.column, rejected.isSelected)) }
    }
    batch.rejected.removeAll { !$0.isSelected }
    batch.keep { isSelected[$0.index] }
    guard !findings.isEmpty else { return [] }
    starts.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    return findings.filter { finding in
      if let row = finding.place.row { return row.id.isEmpty || rows.contains(row.id) }
      guard let line = finding.place.line else { return true }
      return Self.isSelected(line, finding.place.column ?? .max, starts)
    }
  }

  /// Usually a note is one record. If it has several, a single selected record is enough to keep the findings about the
  /// note.
  private mutating func filterFiles(_ batch: RecordBatch, _ findings: [Diagnostic]) -> [Diagnostic] {
    var selected: Set<String> = []
    batch.keep { record in
      let takes = selection.takes(record)
      let file = batch.locator.file(of: record)
      if takes { selected.insert(file) } else { unselectedFiles.insert(file) }
      return takes
    }
    unselectedFiles.subtract(selected)
    return findings.filter { !unselectedFiles.contains($0.place.file) }
  }

  /// Whether the record that contains a place was selected. That record is the last one that begins before the place.
  private static func isSelected(
    _ line: Int, _ column: Int, _ starts: [(line: Int, column: Int, isSelected: Bool)]
  ) -> Bool {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if (starts[middle].line, starts[middle].column) <= (line, column) { low = middle + 1 } else { high = middle }
    }
    return low == 0 || starts[low - 1].isSelected
  }
}

/// Turns a failure to open a pack into findings, because damage is invalid content.
private enum PackDamage {
  /// - Parameter failure: the reason why the pack could not be opened or read to its end.
  /// - Returns: The findings; nil if the failure is not about the pack's contents, or if it already names a place.
  static func findings(_ entry: SourceList.Entry, _ failure: RunFailure) -> [Diagnostic]? {
    guard entry.format is ContentPackFormat, failure.finding == nil || failure.finding?.code == .packInfo else {
      return nil
    }
    guard failure.status == .mismatch || failure.status == .failed else { return nil }
    let report = try? BagCheck(entry.source.path, level: .content).run()
    if let report, !report.isValid { return report.findings }
    // A missing or unreadable file does not mean that the pack is damaged.
    guard failure.status == .mismatch else { return nil }
    return [
      Diagnostic(.packDamaged, failure.message, at: Place(file: entry.source.path), fix: failure.advice)
    ]
  }
}
