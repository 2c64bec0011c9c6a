import Diagnostics
import Interchange
import Reports

/// Where every finding of a validation goes: weighed, held against the baseline, counted, shown.
///
/// The limit changes what is shown, never what is counted. Used by one thread.
final class FindingSink {
  private let report: any FindingReport
  /// How many findings are shown; nil shows all.
  private let limit: Int?
  private var baseline: Baseline?
  /// Collects a new baseline, when one was asked for.
  private(set) var recorder: Baseline.Recorder?
  private let weigh: (DiagnosticCode, Severity, String) -> Severity?
  private let fails: (Severity, String) -> Bool
  /// Whether something was found that fails the run.
  private(set) var hasFailed = false
  private var shown = 0
  private var filesWithFindings: Set<String> = []
  /// Sources that are folders: there may be something to say about them, but they are no files.
  private var folders: Set<String> = []
  /// The files that were checked.
  private var files: [String] = []
  /// The counts so far.
  private(set) var summary = ReportSummary()

  /// - Parameter fails: whether a finding of that severity in that file fails the run.
  /// - Parameter weigh: how much a finding of that code in that file matters; nil means not at all.
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

  /// Whether a finding is to be made in full; one that is only counted is counted here.
  func wants(_ code: DiagnosticCode, _ severity: Severity, _ file: String) -> Bool {
    guard let severity = weigh(code, severity, file) else { return false }
    if baseline != nil || recorder != nil { return true }
    guard let limit, shown >= limit else { return true }
    count(code, severity, file)
    summary.hidden += 1
    return false
  }

  /// Whether a finding to come may be shown, or compared with others; false means that it is only counted.
  var listens: Bool { baseline != nil || recorder != nil || limit.map { shown < $0 } ?? true }

  /// Takes a finding; false when it does not count here.
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

  /// Takes note of a file that was checked to its end.
  func checked(_ file: String) throws {
    summary.files += 1
    if baseline != nil || recorder != nil { files.append(file) }
    try report.checked(file)
  }

  /// Takes note of a source that is a folder; each of its files is checked by itself.
  func opened(folder: String) {
    folders.insert(folder)
    if baseline != nil || recorder != nil { files.append(folder) }
  }

  /// Counts records.
  func count(records: Int) { summary.records += records }

  /// Begins the report.
  func begin() throws { try report.begin() }

  /// Ends the report and answers the counts.
  func end(status: ExitStatus, failOn: Severity?) throws -> ReportSummary {
    summary.status = status.rawValue
    summary.failOn = failOn
    try report.end(summary)
    return summary
  }

  /// How many findings of the baseline did not occur in the files that were checked.
  var unusedBaseline: Int { baseline?.unused(in: files) ?? 0 }

  /// The new baseline: what was found, and what an older one says of files that were not checked.
  func recorded(over old: Baseline?) -> [UInt8]? {
    if let old { recorder?.keep(old, exceptOf: files) }
    return recorder?.bytes
  }
}

extension Diagnostic {
  /// The finding with another severity.
  fileprivate func with(severity: Severity) -> Diagnostic {
    Diagnostic(
      code, message, at: place, record: record, title: title, severity: severity, fix: fix, why: why, label: label,
      excerpt: excerpt)
  }
}
