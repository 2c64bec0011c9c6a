import FleetKitCore
import Reports
import Validation

/// Checks, puts right what has one right answer, and checks again until nothing more changes.
public struct FixingRun: Sendable {
  /// What became of one finding that has one right answer.
  public struct Result: Sendable {
    /// The finding.
    public let finding: Diagnostic
    /// Why it was not put right; nil when it was (or would be, in a dry run).
    public let reason: String?
  }

  /// What was done.
  public struct Summary: Sendable {
    /// What became of each finding, in the order in which they were found.
    public internal(set) var results: [Result] = []
    /// The files that were changed (or would be).
    public internal(set) var changedFiles: [String] = []
    /// Files that should have been changed and could not.
    public internal(set) var failures: [RunFailure] = []

    /// How many findings were put right.
    public var fixed: Int { results.count { $0.reason == nil } }
  }

  /// What is checked, and how.
  public var validation: ValidationRun
  /// Whether files are left as they are.
  public var isDryRun: Bool

  /// Plans the rounds.
  public init(_ validation: ValidationRun, isDryRun: Bool = false) {
    self.validation = validation
    self.isDryRun = isDryRun
  }

  /// Runs to the end: until a round puts nothing right, at most `FixRun.rounds` times.
  /// - Throws: `RunFailure` when it is interrupted; what was changed by then stays changed.
  public func run() throws -> Summary {
    var looking = validation
    looking.options.maxFindings = nil
    looking.options.recorder = nil
    looking.options.collectsFixes = true
    var summary = Summary()
    var changed: Set<String> = []
    for _ in 0..<FixRun.rounds {
      let stamps = Dictionary(
        looking.sources.entries.compactMap { entry in FileStamp(entry.source.path).map { (entry.source.path, $0) } },
        uniquingKeysWith: { first, _ in first })
      let found = Self.compatible(try looking.run(report: SilentReport()).fixable)
      let report = try FixRun(isDryRun: isDryRun).run(found.map(\.fix), since: stamps)
      let results = zip(found, report.outcomes).map { Result(finding: $0.finding, reason: $1.reason) }
      for file in report.changedFiles where changed.insert(file).inserted { summary.changedFiles.append(file) }
      summary.failures += report.failures
      summary.results += results.filter { $0.reason == nil }
      if report.applied == 0 || isDryRun || !report.failures.isEmpty {
        // What is still there and was not put right this time stays.
        summary.results += results.filter { $0.reason != nil }
        break
      }
    }
    return summary
  }
}

extension FixingRun {
  /// Those findings whose edits do not touch the same values; the others come in the next round.
  ///
  /// What one rule says about one record is put right together or not at all: removing half of the numbers that
  /// somebody typed before steps would be worse than leaving them.
  private static func compatible(_ findings: [FixableFinding]) -> [FixableFinding] {
    struct Group: Hashable {
      let record: Place
      let code: DiagnosticCode
    }
    var order: [Group] = []
    var groups: [Group: [FixableFinding]] = [:]
    for finding in findings {
      let group = Group(record: finding.fix.record, code: finding.finding.code)
      if groups[group] == nil { order.append(group) }
      groups[group, default: []].append(finding)
    }
    var taken: [Place: TouchedValues] = [:]
    var chosen: [FixableFinding] = []
    for group in order {
      let members = groups[group] ?? []
      let before = taken[group.record] ?? TouchedValues()
      guard !members.contains(where: { before.touches($0.fix.pointer) }) else { continue }
      for member in members { taken[group.record, default: TouchedValues()].insert(member.fix.pointer) }
      chosen += members
    }
    return chosen
  }
}

/// Values of one record that edits change. One question takes as long as its path is deep, however many there are.
private struct TouchedValues {
  private var changed: Set<JSONPointer> = []
  /// What stands around the values that change.
  private var outer: Set<JSONPointer> = []

  mutating func insert(_ pointer: JSONPointer) {
    changed.insert(pointer)
    for count in 0..<pointer.steps.count { outer.insert(JSONPointer(Array(pointer.steps.prefix(count)))) }
  }

  /// Whether an edit at `pointer` touches one of them: the value, one around it, or one inside it.
  func touches(_ pointer: JSONPointer) -> Bool {
    if changed.isEmpty { return false }
    return outer.contains(pointer)
      || (0...pointer.steps.count).contains { changed.contains(JSONPointer(Array(pointer.steps.prefix($0)))) }
  }
}

/// Shows nothing.
private final class SilentReport: FindingReport {
  func begin() {}
  func add(_ finding: Diagnostic) {}
  func end(_ summary: ReportSummary) {}
}
