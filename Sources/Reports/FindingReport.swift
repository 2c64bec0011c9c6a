import Diagnostics
import Foundation
import JSONText

/// Receives a report's bytes in order, in pieces of any size. If the sink throws, the report ends.
public typealias ReportSink = (UnsafeBufferPointer<UInt8>) throws -> Void

/// Writes findings in one format, as they arrive.
///
/// `begin` is called first and `end` last. The findings of a file should be added together, before `checked` for that
/// file. Otherwise, a report is still correct, but a report with sections for files may have several sections for one
/// file. Memory does not grow with the number of findings. A report is used by one thread at a time.
public protocol FindingReport: AnyObject {
  /// Writes the text before the findings.
  /// - Throws: The sink's error. This also applies to the other methods.
  func begin() throws
  /// Writes one finding.
  func add(_ finding: Diagnostic) throws
  /// Records that a file was checked completely, with or without findings.
  func checked(_ file: String) throws
  /// Writes the text after the findings, and passes the last bytes to the sink.
  func end(_ summary: ReportSummary) throws
}

extension FindingReport {
  /// Does nothing: most reports name only files with findings.
  public func checked(_ file: String) throws {}
}

/// The formats that findings can be reported in.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// For scripts: one JSON object per line; the last line is a summary.
  case text
  /// For scripts: one JSON object per line, the last one a summary.
  case jsonl
  /// For code scanning: SARIF 2.1.0.
  case sarif
  /// For the test reports of CI systems: JUnit XML.
  case junit
  /// For GitHub Actions: workflow commands that annotate a change.
  case github

  /// Makes a report in this format that writes to `sink`.
  public func makeReport(_ options: ReportOptions, to sink: @escaping ReportSink) -> any FindingReport {
    switch self {
    case .text: TextReport(options, to: sink)
    case .jsonl: JSONLinesReport(options, to: sink)
    case .sarif: SARIFReport(options, to: sink)
    case .junit: JUnitReport(options, to: sink)
    case .github: GitHubReport(options, to: sink)
    }
  }
}

/// The data about the run and its environment that reports need.
public struct ReportOptions: Sendable {
  /// The version of the tool that found the findings.
  public var toolVersion: String
  /// The absolute address of the tool's web page, if any.
  public var informationURI: String?
  /// The prefix, including its last `/`, that turns a code's `helpPath` into an address; nil if the pages are not
  /// online.
  public var helpBase: String?
  /// The folder that relative file names refer to and that file names in reports are relative to.
  public var workingDirectory: String
  /// The lowest severity that makes the run fail; nil if no finding does.
  public var failOn: Severity?
  /// Whether a terminal with colours shows the report.
  public var colour: Bool
  /// The maximum width of a line of source text in a code frame, in columns.
  public var width: Int
  /// The start time of the run.
  public var started: Date
  /// The name of the machine, for JUnit reports.
  public var hostname: String
  /// The number of bytes that are buffered before they are passed to the sink; 0 passes each finding on immediately.
  public var flushEvery: Int

  /// Makes options. The defaults are for a run in the current folder that fails on errors.
  public init(
    toolVersion: String, informationURI: String? = nil, helpBase: String? = nil,
    workingDirectory: String = FileManager.default.currentDirectoryPath, failOn: Severity? = .error,
    colour: Bool = false, width: Int = 100, started: Date = Date(), hostname: String = "localhost",
    flushEvery: Int = 1 << 15
  ) {
    self.toolVersion = toolVersion
    self.informationURI = informationURI
    self.helpBase = helpBase
    self.workingDirectory = workingDirectory
    self.failOn = failOn
    self.colour = colour
    self.width = width
    self.started = started
    self.hostname = hostname
    self.flushEvery = flushEvery
  }

  /// Whether a finding of this severity makes the run fail.
  func fails(_ severity: Severity) -> Bool { failOn.map { severity >= $0 } ?? false }
}

/// Buffers a report's text and passes it to the sink in larger pieces.
final class ReportOutput {
  private let sink: ReportSink
  private let flushEvery: Int
  private var buffer = ByteBuffer(capacity: 1 << 12)

  init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    self.sink = sink
    flushEvery = options.flushEvery
  }

  /// Adds text.
  func write(_ text: String) throws {
    buffer.append(utf8: text)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Adds UTF-8 bytes.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    buffer.append(bytes)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Passes the buffered bytes to the sink.
  func flush() throws {
    guard buffer.count > 0 else { return }
    // Bytes that the sink refused are not passed to it again.
    defer { buffer.removeAll() }
    try sink(buffer.bytes)
  }
}
