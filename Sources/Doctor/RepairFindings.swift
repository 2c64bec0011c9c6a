import Diagnostics

/// Receives findings, adds the repair advice to each, and counts findings that a repair settles.
final class RepairFindings {
  let log: DiagnosticLog
  private(set) var repairable = 0
  /// The number of findings of each kind that a repair settles.
  private(set) var counts: [DiagnosticCode: Int] = [:]

  init(keepPerCode: Int) { log = DiagnosticLog(keepPerCode: keepPerCode) }

  func report(_ finding: Diagnostic) {
    guard let advice = RepairAdvice.of(finding) else { return log.report(finding) }
    repairable += 1
    counts[finding.code, default: 0] += 1
    log.report(
      Diagnostic(
        finding.code, finding.message, at: finding.place, record: finding.record, title: finding.title,
        severity: finding.severity, fix: "--repair " + advice))
  }
}
