import FleetKit
import Foundation
import Reports

/// A report that collects the findings that would be shown.
final class CollectingReport: FindingReport {
  private(set) var findings: [Diagnostic] = []
  private(set) var summary = ReportSummary()

  func begin() {}
  func add(_ finding: Diagnostic) { findings.append(finding) }
  func end(_ summary: ReportSummary) { self.summary = summary }
}

enum Collecting {
  /// Returns the findings of validating some files.
  static func findings(
    _ paths: [String], format: FormatID? = nil, options: ValidationOptions = ValidationOptions()
  ) throws -> [Diagnostic] {
    let report = CollectingReport()
    _ = try ValidationRun(sources: try SourceList(paths, format: format), options: options).run(report: report)
    return report.findings
  }
}
