import Diagnostics

/// The counts at the end of a run: every finding counts, shown or not.
public struct ReportSummary: Sendable {
  /// How many findings there were of each severity, without those of the baseline.
  public var severities: [Severity: Int]
  /// How many findings there were of each code, without those of the baseline.
  public var codes: [DiagnosticCode: Int]
  /// How many of the counted findings were not shown, because there were too many.
  public var hidden: Int
  /// How many findings were left out because the baseline knows them.
  public var baseline: Int
  /// How many files were checked.
  public var files: Int
  /// How many of them have findings.
  public var filesWithFindings: Int
  /// How many records were checked.
  public var records: Int
  /// The exit status of the run.
  public var status: Int32
  /// The least severity that fails the run; nil when nothing does.
  public var failOn: Severity?

  /// Makes a summary; counts that are not given are 0.
  public init(
    severities: [Severity: Int] = [:], codes: [DiagnosticCode: Int] = [:], hidden: Int = 0, baseline: Int = 0,
    files: Int = 0, filesWithFindings: Int = 0, records: Int = 0, status: Int32 = 0, failOn: Severity? = .error
  ) {
    self.severities = severities
    self.codes = codes
    self.hidden = hidden
    self.baseline = baseline
    self.files = files
    self.filesWithFindings = filesWithFindings
    self.records = records
    self.status = status
    self.failOn = failOn
  }

  /// Counts one finding.
  public mutating func count(_ finding: Diagnostic) {
    severities[finding.severity, default: 0] += 1
    codes[finding.code, default: 0] += 1
  }

  /// How many findings there were.
  public var total: Int { severities.values.reduce(0, +) }

  /// Whether the run got to its end; findings do not stop it.
  var isComplete: Bool { status == 0 || status == 1 }

  /// `3 errors, 1 warning in 2 of 14 files (412 records)`; without records where none were counted.
  public var sentence: String {
    let found = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = severities[severity, default: 0]
      return count > 0 ? counted(count, severity.description) : nil
    }
    let place =
      found.isEmpty
      ? "in \(counted(files, "file"))" : "in \(filesWithFindings) of \(counted(files, "file"))"
    return (found.isEmpty ? "no findings" : found.joined(separator: ", ")) + " \(place)"
      + (records > 0 ? " (\(counted(records, "record")))" : "")
  }

  /// What was left out of the report, one sentence each; empty when nothing was.
  public var omissions: [String] { [hiddenSentence, baselineSentence].compactMap(\.self) }

  /// Says that the report was cut; nil when it was not.
  var hiddenSentence: String? {
    hidden > 0 ? "\(counted(hidden, "more finding")) not shown; --max-findings 0 shows all" : nil
  }

  private var baselineSentence: String? {
    baseline > 0 ? "\(counted(baseline, "finding")) of the baseline not shown" : nil
  }

  private func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
