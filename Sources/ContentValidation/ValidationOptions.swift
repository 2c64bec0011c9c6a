import Backup
import Diagnostics
import Interchange
import ProjectConfiguration
import Reports
import Validation

/// The checks of a validation, and the maximum number of findings that it shows.
public struct ValidationOptions: Sendable {
  /// The profile of a validation, which selects its checks.
  public enum Profile: String, Sendable, CaseIterable {
    /// Checks whether content can be read and is of good quality: layer 1 and lint.
    case structure
    /// Checks whether content may be published: layers 1 and 2 and lint.
    case publish
  }

  /// The profile of the checks; nil uses the configuration of each file.
  public var profile: Profile?
  /// The lowest severity that makes the run fail.
  public var failOn: FailOn = .configured
  /// The maximum number of findings that are shown; nil shows all. Does not affect the counts or the status.
  public var maxFindings: Int?
  /// Known findings that are not reported.
  public var baseline: Baseline?
  /// Whether findings with a fix are collected. Memory grows with their number.
  public var collectsFixes = false
  /// Collects a new baseline; nil if none was requested.
  public var recorder: Baseline.Recorder?

  /// Which findings make a run fail.
  public enum FailOn: Sendable, Equatable {
    /// The findings that each file's configuration selects; errors for a file without a configuration.
    case configured
    /// Findings of at least this severity, regardless of the configuration; nil for no findings.
    case from(Severity?)
  }

  /// Returns the lowest severity that makes a run fail for any of its files; nil if no severity does.
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
  /// Sources that could not be read to their ends, with the reasons.
  public let failures: [RunFailure]
  /// Findings with a fix.
  public let fixable: [FixableFinding]
  /// The new baseline, if one was requested.
  public let recordedBaseline: [UInt8]?
  /// The number of findings in the baseline that did not occur.
  public let unusedBaseline: Int
  /// The reasons why each note was recognized as it was, if such explanations were requested.
  public var explanations: [Explanation] = []

  /// Returns the outcome for a run in which some files also could not be changed.
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
  /// All codes, by family and number: those of single formats, those of rules, and those that several formats share.
  public static let all: [DiagnosticCode] = {
    let formats = FormatRegistry.standard.formats.flatMap(\.descriptor.codes)
    var seen: Set<String> = []
    let all = DiagnosticCode.all + formats + DiagnosticCode.configuration + DiagnosticCode.backupFolder
    return (all + SchemaCodes.all + RuleSet.codes)
      .filter { seen.insert($0.id).inserted }
      .sorted { $0.id < $1.id }
  }()
}
