import Diagnostics
import Interchange
import Reports

/// Receives all findings of a validation. Determines their severities, compares them with the baseline, counts them and
/// shows them.
///
/// The limit applies to the findings that are shown, never to the counts. The sink is used by one thread.
final class FindingSink {
  private let report: any FindingReport
  /// The maximum number of findings that are shown; nil shows all.
  private let limit: Int?
  private var baseline: Baseline?
  /// Collects a new baseline, if one was requested.
  private(set) var recorder: Baseline.Recorder?
  private let weigh: (DiagnosticCode, Severity, String) -> Severity?
  private let fails: (Severity, String) -> Bool
  /// Whether any finding so far makes the run fail.
  private(set) var hasFailed = false
  private var shown = 0
  private var filesWithFindings: Set<String> = []
  /// Sources that are folders. They may have findings, but do not count as files.
  private var folders: Set<String> = []
  /// The files that were checked.
  private var files: [String] = []
  /// The counts so far.
  private(set) var summary = ReportSummary()

  /// - Parameter fails: whether a finding of the given severity in the given file makes the run fail.
  /// - Parameter weigh: returns the severity of a finding of the given code in the given file; nil ignores the finding.
  init(
    _ report: any FindingReport, limit: Int?, baseline: Baseline?, recorder: Baseline.Recorder?,
    fails: @escaping (Severity, String) -> Bool,
    weigh: @escaping (DiagnosticCode, Severity, String) -> Severity?
  ) {
    self.report = report
    self.limit = limit
    self.baseline = baseline
    self.recorder = recorder
    self.weigh = weigh
    self.fails = fails
  }

  /// Returns whether a finding must be built in full. If not, the finding is counted here.
  func wants(_ code: DiagnosticCode, _ severity: Severity, _ file: String) -> Bool {
    guard let severity = weigh(code, severity, file) else { return false }
    if baseline != nil || recorder != nil { return true }
    guard let limit, shown >= limit else { return true }
    count(code, severity, file)
    summary.hidden += 1
    return false
  }

  /// Whether a future finding may be shown or compared with others. If false, future findings are only counted.
  var listens: Bool { baseline != nil || recorder != nil || limit.map { shown < $0 } ?? true }

  /// Adds a finding; returns false if the finding is ignored.
  @discardableResult
  func add(_ finding: Diagnostic) throws -> Bool {
    guard let severity = weigh(finding.code, finding.severity, finding.place.file) else { return false }
    let finding = severity == finding.severity ? finding : finding.with(severity: severity)
    recorder?.add(finding)
    if baseline?.suppresses(finding) == true {
      summary.baseline += 1
      return false
    }
    count(finding.code, severity, finding.place.file)
    if let limit, shown >= limit {
      summary.hidden += 1
    } else {
      shown += 1
      try report.add(finding)
    }
    return true
  }

  private func count(_ code: DiagnosticCode, _ severity: Severity, _ file: String) {
    summary.severities[severity, default: 0] += 1
    summary.codes[code, default: 0] += 1
    if !hasFailed, fails(severity, file) { hasFailed = true }
    if !folders.contains(file), filesWithFindings.insert(file).inserted { summary.filesWithFindings += 1 }
  }

  /// Records a file that was checked to its end.
  func checked(_ file: String) throws {
    summary.files += 1
    if baseline != nil || recorder != nil { files.append(file) }
    try report.checked(file)
  }

  /// Records a source that is a folder; each of its files is checked separately.
  func opened(folder: String) {
    folders.insert(folder)
    if baseline != nil || recorder != nil { files.append(folder) }
  }

  /// Counts records.
  func count(records: Int) { summary.records += records }

  /// Begins the report.
  func begin() throws { try report.begin() }

  /// Ends the report and returns the counts.
  func end(status: ExitStatus, failOn: Severity?) throws -> ReportSummary {
    summary.status = status.rawValue
    summary.failOn = failOn
    try report.end(summary)
    return summary
  }

  /// The number of findings in the baseline that did not occur in the checked files.
  var unusedBaseline: Int { baseline?.unused(in: files) ?? 0 }

  /// Returns the new baseline: the findings of this run, and those of the older baseline in files that were not
  /// checked.
  func recorded(over old: Baseline?) -> [UInt8]? {
    if let old { recorder?.keep(old, exceptOf: files) }
    return recorder?.bytes
  }
}

extension Diagnostic {
  /// Returns the finding with another severity.
  fileprivate func with(severity: Severity) -> Diagnostic {
    Diagnostic(
      code, message, at: place, record: record, title: title, severity: severity, fix: fix, why: why, label: label,
      excerpt: excerpt)
  }
}
