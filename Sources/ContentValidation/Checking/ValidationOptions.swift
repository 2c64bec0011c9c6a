import Backup
import Diagnostics
import Interchange
import ProjectConfiguration
import Reports
import Validation

/// What a validation looks for and how much of it it shows.
public struct ValidationOptions: Sendable {
  /// What content is checked for.
  public enum Profile: String, Sendable, CaseIterable {
    /// May it be read, and is it good? Layers 1 and lint.
    case structure
    /// May it leave the device? Layers 1, 2 and lint.
    case publish
  }

  /// What content is checked for; nil asks each file's configuration.
  public var profile: Profile?
  /// The least severity that fails the run.
  public var failOn: FailOn = .configured
  /// How many findings are shown; nil shows all. Never changes counts or status.
  public var maxFindings: Int?
  /// Known findings that are not reported.
  public var baseline: Baseline?
  /// Whether findings that have one right answer are collected; memory grows with them.
  public var collectsFixes = false
  /// Collects a new baseline; nil when none was asked for.
  public var recorder: Baseline.Recorder?

  /// When findings fail a run.
  public enum FailOn: Sendable, Equatable {
    /// As each file's configuration says: on errors, where there is none.
    case configured
    /// From this severity on, whatever is configured; nil never.
    case from(Severity?)
  }

  /// The least severity that fails a run for any of its files; nil when nothing does.
  public func leastFailing(_ configurations: some Collection<Configuration>) -> Severity? {
    if case .from(let least) = failOn { return least }
    return configurations.isEmpty ? .error : configurations.compactMap(\.failOn.severity).min()
  }

  /// The options of a run that asks the configurations.
  public init() {}
}

/// What a validation came to.
public struct ValidationOutcome: Sendable {
  /// The counts.
  public let summary: ReportSummary
  /// How the process should end.
  public let status: ExitStatus
  /// Sources that could not be read to their end, with the reason.
  public let failures: [RunFailure]
  /// Findings that have one right answer, with it.
  public let fixable: [FixableFinding]
  /// The new baseline, when one was asked for.
  public let recordedBaseline: [UInt8]?
  /// How many findings of the baseline did not occur.
  public let unusedBaseline: Int
  /// Why notes were taken for what they were taken, when the run was asked for it.
  public var explanations: [Explanation] = []

  /// The outcome when some files could not be changed either.
  public func adding(_ more: [RunFailure]) -> ValidationOutcome {
    ValidationOutcome(
      summary: summary, status: more.reduce(status) { $0.combined(with: $1.status) }, failures: more + failures,
      fixable: fixable, recordedBaseline: recordedBaseline, unusedBaseline: unusedBaseline,
      explanations: explanations)
  }
}

/// A finding that has one right answer.
public struct FixableFinding: Sendable {
  /// The finding.
  public let finding: Diagnostic
  /// The change that puts it right.
  public let fix: Fix
}

/// Every kind of finding that FleetKit reports.
public enum FindingCodes {
  /// All codes, by family and number: those of the formats, of the rules, and what all of them share.
  public static let all: [DiagnosticCode] = {
    let formats = FormatRegistry.standard.formats.flatMap(\.descriptor.codes)
    var seen: Set<String> = []
    let all = DiagnosticCode.all + formats + DiagnosticCode.configuration + DiagnosticCode.backupFolder
    return (all + SchemaCodes.all + RuleSet.codes)
      .filter { seen.insert($0.id).inserted }
      .sorted { $0.id < $1.id }
  }()
}
