import Diagnostics
import Foundation
import JSONText

/// Where a report's bytes go. It is called with pieces of any size, in order; what it throws ends the report.
public typealias ReportSink = (UnsafeBufferPointer<UInt8>) throws -> Void

/// Writes findings in one format, one after the other, as they arrive.
///
/// `begin` comes first, `end` last. The findings of a file come together and before `checked` for that file; a report
/// stays correct when they do not, but a report with a part per file may then have several parts for one. Memory does
/// not grow with the findings. A report is used by one thread at a time.
public protocol FindingReport: AnyObject {
  /// Writes what is before the findings.
  /// - Throws: what the sink throws, here and in the other methods.
  func begin() throws
  /// Writes one finding.
  func add(_ finding: Diagnostic) throws
  /// Takes note that a file was checked to its end, with or without findings.
  func checked(_ file: String) throws
  /// Writes what is behind the findings, and hands the last bytes to the sink.
  func end(_ summary: ReportSummary) throws
}

extension FindingReport {
  /// Most reports name only files with findings.
  public func checked(_ file: String) throws {}
}

/// The formats that findings can be reported in.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// For people: every finding with its line of source text.
  case text
  /// For scripts: one JSON object a line, the last one a summary.
  case jsonl
  /// For code scanning: SARIF 2.1.0.
  case sarif
  /// For test reports of CI systems: JUnit XML.
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

/// What reports need to know about the run and its surroundings.
public struct ReportOptions: Sendable {
  /// The version of the tool that found the findings.
  public var toolVersion: String
  /// The tool's page on the web, an absolute address; nil when there is none.
  public var informationURI: String?
  /// What is before a code's `helpPath` to make an address, with its last `/`; nil when there is no such place.
  public var helpBase: String?
  /// The folder that relative file names start from, and that reports name files relative to.
  public var workingDirectory: String
  /// The least severity that fails the run; nil when nothing does.
  public var failOn: Severity?
  /// Whether a terminal with colours shows the report.
  public var colour: Bool
  /// How many columns a line of source text may take in a code frame.
  public var width: Int
  /// When the run began.
  public var started: Date
  /// The name of the machine that JUnit reports ask for.
  public var hostname: String
  /// How many bytes are collected before the sink gets them; 0 hands over each finding at once.
  public var flushEvery: Int

  /// Makes options; what is not given suits a run in the current folder that fails on errors.
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

  /// Whether a finding of this severity fails the run.
  func fails(_ severity: Severity) -> Bool { failOn.map { severity >= $0 } ?? false }
}

/// Collects a report's text and hands it to the sink in larger pieces.
final class ReportOutput {
  private let sink: ReportSink
  private let flushEvery: Int
  private var buffer = ByteBuffer(capacity: 1 << 12)

  init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    self.sink = sink
    flushEvery = options.flushEvery
  }

  /// Takes text.
  func write(_ text: String) throws {
    buffer.append(utf8: text)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Takes bytes that are UTF-8.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    buffer.append(bytes)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Hands over what is left.
  func flush() throws {
    guard buffer.count > 0 else { return }
    // What the sink refused is not offered again.
    defer { buffer.removeAll() }
    try sink(buffer.bytes)
  }
}
