import Diagnostics

/// Where a report's bytes go. It is called with pieces of any size, in order; what it throws ends the report.
public typealias ReportSink = (UnsafeBufferPointer<UInt8>) throws -> Void

/// Writes findings in one format, one after the other, as they arrive.
///
/// `begin` comes first, `end` last. The findings of a file come together and before `checked` for that file; a report
/// stays correct when they do not, but a report with a part per file may then have several parts for one. Memory does
/// not grow with the findings. A report is used by one thread at a time.
public protocol FindingReport: AnyObject {
  /// Writes what stands before the findings.
  /// - Throws: what the sink throws, here and in the other methods.
  func begin() throws
  /// Writes one finding.
  func add(_ finding: Diagnostic) throws
  /// Takes note that a file was checked to its end, with or without findings.
  func checked(_ file: String) throws
  /// Writes what stands behind the findings, and hands the last bytes to the sink.
  func end(_ summary: ReportSummary) throws
}

extension FindingReport {
  /// Most reports name only files with findings.
  public func checked(_ file: String) throws {}
}
