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
    looking.options.recordsBaseline = false
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
      let pointers = members.map(\.fix.pointer)
      if let before = taken[group.record], pointers.contains(where: before.touches) { continue }
      for pointer in pointers { taken[group.record, default: TouchedValues()].insert(pointer) }
      chosen += members
    }
    return chosen
  }

  /// Values of one record that edits change. Asking takes as many steps as the path has, whatever the number of edits.
  private struct TouchedValues {
    private var values: Set<JSONPointer> = []
    /// Everything around them.
    private var around: Set<JSONPointer> = []

    mutating func insert(_ pointer: JSONPointer) {
      values.insert(pointer)
      for count in 0..<pointer.steps.count { around.insert(JSONPointer(Array(pointer.steps.prefix(count)))) }
    }

    /// Whether an edit at `pointer` changes one of the values, one around them, or one inside of them.
    func touches(_ pointer: JSONPointer) -> Bool {
      around.contains(pointer)
        || (0...pointer.steps.count).contains { values.contains(JSONPointer(Array(pointer.steps.prefix($0)))) }
    }
  }
}

/// Shows nothing.
private final class SilentReport: FindingReport {
  func begin() {}
  func add(_ finding: Diagnostic) {}
  func end(_ summary: ReportSummary) {}
}
