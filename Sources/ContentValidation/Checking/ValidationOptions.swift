import Backup
import Diagnostics
import Interchange
import ProjectConfiguration
import Reports
import Validation

/// What a validation checks, and how much of it is shown.
public struct ValidationOptions: Sendable {
  /// What content is checked for.
  public enum Profile: String, Sendable, CaseIterable {
    /// Can it be read, and is it good? Layers 1 and lint.
    case structure
    /// May it be published? Layers 1, 2 and lint.
    case publish
  }

  /// The profile of the checks; nil uses the configuration of each file.
  public var profile: Profile?
  /// The least severity that fails the run.
  public var failOn: FailOn = .configured
  /// The greatest number of findings that are shown; nil shows all. Never changes counts or status.
  public var maxFindings: Int?
  /// Known findings that are not reported.
  public var baseline: Baseline?
  /// Whether findings with a fix are collected; memory grows with them.
  public var collectsFixes = false
  /// Collects a new baseline; nil if none was requested.
  public var recorder: Baseline.Recorder?

  /// When findings fail a run.
  public enum FailOn: Sendable, Equatable {
    /// According to the configuration of each file; on errors, if it has none.
    case configured
    /// From this severity on, regardless of the configuration; nil never.
    case from(Severity?)
  }

  /// The least severity that fails a run for any of its files; nil if none does.
  public func leastFailing(_ configurations: some Collection<Configuration>) -> Severity? {
    if case .from(let least) = failOn { return least }
    return configurations.isEmpty ? .error : configurations.compactMap(\.failOn.severity).min()
  }

  /// The default options, which use the configurations.
  public init() {}
}

/// The result of a validation.
public struct ValidationOutcome: Sendable {
  /// The counts.
  public let summary: ReportSummary
  /// The exit status of the process.
  public let status: ExitStatus
  /// Sources that could not be read to their end, with the reason.
  public let failures: [RunFailure]
  /// Findings with a fix.
  public let fixable: [FixableFinding]
  /// The new baseline, if one was requested.
  public let recordedBaseline: [UInt8]?
  /// The number of findings of the baseline that did not occur.
  public let unusedBaseline: Int
  /// Why notes were recognized as they were, if the run was asked to explain it.
  public var explanations: [Explanation] = []

  /// Returns the outcome if some files also could not be changed.
  public func adding(_ more: [RunFailure]) -> ValidationOutcome {
    ValidationOutcome(
      summary: summary, status: more.reduce(status) { $0.combined(with: $1.status) }, failures: more + failures,
      fixable: fixable, recordedBaseline: recordedBaseline, unusedBaseline: unusedBaseline,
      explanations: explanations)
  }
}

/// A finding with a fix.
public struct FixableFinding: Sendable {
  /// The finding.
  public let finding: Diagnostic
  /// The change that corrects it.
  public let fix: Fix
}

/// All codes of findings that FleetKit reports.
public enum FindingCodes {
  /// All codes, by family and number: those of the formats, of the rules, and those that they share.
  public static let all: [DiagnosticCode] = {
    let formats = FormatRegistry.standard.formats.flatMap(\.descriptor.codes)
    var seen: Set<String> = []
    let all = DiagnosticCode.all + formats + DiagnosticCode.configuration + DiagnosticCode.backupFolder
    return (all + SchemaCodes.all + RuleSet.codes)
      .filter { seen.insert($0.id).inserted }
      .sorted { $0.id < $1.id }
  }()
}
