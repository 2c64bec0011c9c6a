import Diagnostics
import Interchange
import JSONText
import Reports
import Validation

/// Makes the fixes of findings in the files that the findings refer to.
///
/// Apart from the changed values, a file keeps all of its bytes, its mode and its links. The file is replaced in one
/// step, or not at all if it has since changed. If several edits touch the same value, only the first one is made. The
/// caller then checks the files again and repeats the run, up to `rounds` times. Libraries, archives and standard input
/// are never changed. Memory is bounded by the size of the largest file (`longest`).
public struct FixRun: Sendable {
  /// The outcome of one fix.
  public struct Outcome: Sendable {
    /// The fix.
    public let fix: Fix
    /// The reason why the fix was not made, in a few words; nil if it was made.
    public let reason: String?

    /// Whether the fix was made (or would be, in a dry run).
    public var isApplied: Bool { reason == nil }
  }

  /// The outcomes of all fixes.
  public struct Report: Sendable {
    /// One outcome for each fix, in the order of the fixes.
    public internal(set) var outcomes: [Outcome] = []
    /// The files that were changed (or would be), as the user named them, in the order of their first fixes.
    public internal(set) var changedFiles: [String] = []
    /// The files that could not be changed, with the reasons.
    public internal(set) var failures: [RunFailure] = []

    /// The number of fixes that were made.
    public var applied: Int { outcomes.count { $0.isApplied } }
  }

  /// The maximum number of rounds of checking and fixing. Without this limit, fixes that undo each other would cause an
  /// infinite loop.
  public static let rounds = 10
  /// The maximum size in bytes of a file that is changed, because the file is held in memory.
  public static let longest = 512 << 20

  /// Whether changes are only reported and files are left unchanged.
  public var isDryRun: Bool

  /// Plans a run.
  public init(isDryRun: Bool = false) { self.isDryRun = isDryRun }

  /// Makes edits, file by file.
  /// - Parameter stamps: the states of files when they were checked, by name. A file whose state now differs is not
  ///   changed. For a file without a stamp, its state when the run opens it is used.
  /// - Throws: `RunFailure` with status 130 if the user interrupts the run; files changed until then stay changed.
  public func run(_ fixes: [Fix], since stamps: [String: FileStamp] = [:]) throws -> Report {
    var order: [String] = []
    var byFile: [String: [Int]] = [:]
    for (index, fix) in fixes.enumerated() {
      if byFile[fix.record.file, default: []].isEmpty { order.append(fix.record.file) }
      byFile[fix.record.file, default: []].append(index)
    }
    var reasons = [String?](repeating: nil, count: fixes.count)
    var report = Report()
    for file in order {
      if Interruption.isRequested {
        let changed = report.changedFiles.count
        throw RunFailure(
          .interrupted,
          "interrupted; "
            + (changed == 0
              ? "nothing was changed" : "\(Plural.count(changed, "file was", "files were")) changed before that")
        )
      }
      let indices = byFile[file] ?? []
      var fixing = FileFixing(file: file, fixes: indices.map { fixes[$0] })
      do {
        if try fixing.run(since: stamps[file], isDryRun: isDryRun) { report.changedFiles.append(file) }
      } catch let failure as RunFailure {
        report.failures.append(failure)
        fixing.leaveAll("not changed: \(failure.message)")
      }
      for (index, reason) in zip(indices, fixing.reasons) { reasons[index] = reason }
    }
    report.outcomes = zip(fixes, reasons).map { Outcome(fix: $0, reason: $1) }
    return report
  }
}

/// Checks, makes the fixes, and checks again until no more changes are made.
public struct FixingRun: Sendable {
  /// The outcome of one finding with a fix.
  public struct Result: Sendable {
    /// The finding.
    public let finding: Diagnostic
    /// The reason why the finding was not corrected; nil if it was (or would be, in a dry run).
    public let reason: String?
  }

  /// The result of the rounds.
  public struct Summary: Sendable {
    /// The outcome of each finding, in the order in which they were found.
    public internal(set) var results: [Result] = []
    /// The files that were changed (or would be).
    public internal(set) var changedFiles: [String] = []
    /// The files that could not be changed, with the reasons.
    public internal(set) var failures: [RunFailure] = []

    /// The number of findings that were corrected.
    public var fixed: Int { results.count { $0.reason == nil } }
  }

  /// The validation that is repeated.
  public var validation: ValidationRun
  /// Whether files are left unchanged.
  public var isDryRun: Bool

  /// Plans the rounds.
  public init(_ validation: ValidationRun, isDryRun: Bool = false) {
    self.validation = validation
    self.isDryRun = isDryRun
  }

  /// Repeats rounds until one corrects nothing, at most `FixRun.rounds` times.
  /// - Throws: `RunFailure` if the run is interrupted; changes made until then remain.
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
        // Findings that remain and were not corrected in this round are kept.
        summary.results += results.filter { $0.reason != nil }
        break
      }
    }
    return summary
  }
}

extension FixingRun {
  /// Returns findings whose edits do not touch the same values. Other findings are left for the next round.
  ///
  /// The findings of one rule about one record are corrected together or not at all. Removing only half of the numbers
  /// that were typed before steps would be worse than leaving all of them.
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
    var taken: [Place: EditedPaths] = [:]
    var chosen: [FixableFinding] = []
    for group in order {
      let members = groups[group] ?? []
      let before = taken[group.record] ?? EditedPaths()
      guard !members.contains(where: { before.touches($0.fix.pointer) }) else { continue }
      for member in members { taken[group.record, default: EditedPaths()].insert(member.fix.pointer) }
      chosen += members
    }
    return chosen
  }
}

/// The values of one record that edits change. A look-up takes time proportional to the depth of its path, regardless
/// of the number of values.
private struct EditedPaths {
  private var changed: Set<JSONPointer> = []
  /// The values that contain a changed value.
  private var outer: Set<JSONPointer> = []

  mutating func insert(_ pointer: JSONPointer) {
    changed.insert(pointer)
    for count in 0..<pointer.steps.count { outer.insert(JSONPointer(Array(pointer.steps.prefix(count)))) }
  }

  /// Whether an edit at `pointer` touches a changed value: the same value, one that contains it, or one inside it.
  func touches(_ pointer: JSONPointer) -> Bool {
    if changed.isEmpty { return false }
    return outer.contains(pointer)
      || (0...pointer.steps.count).contains { changed.contains(JSONPointer(Array(pointer.steps.prefix($0)))) }
  }
}

/// A report that ignores all findings.
private final class SilentReport: FindingReport {
  func begin() {}
  func add(_ finding: Diagnostic) {}
  func end(_ summary: ReportSummary) {}
}
