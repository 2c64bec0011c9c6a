import Diagnostics
import Foundation
import JSONText

/// Receives a report's bytes in order, in pieces of any size. If the sink throws, the report ends.
public typealias ReportSink = (Span<UInt8>) throws -> Void

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

/// The formats in which findings can be reported.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// For people: each finding with its line of source text.
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
  /// The root of the repository, to which file names in `github` and `sarif` reports are relative; nil for the working
  /// directory.
  public var repository: String?
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

  /// File names relative to the repository.
  var repositoryPaths: ReportPath { ReportPath(relativeTo: repository ?? workingDirectory, from: workingDirectory) }
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
  func write(_ bytes: Span<UInt8>) throws {
    buffer.append(bytes)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Passes the buffered bytes to the sink.
  func flush() throws {
    guard buffer.count > 0 else { return }
    // Bytes that the sink refused are not passed to it again.
    defer { buffer.removeAll() }
    try sink(buffer.bytes.span)
  }
}

/// Names files in reports: relative to a folder if they are inside it, otherwise by their full path.
struct ReportPath {
  /// The folder, as path components.
  private let folder: [Substring]
  /// The folder that relative names refer to, as path components.
  private let origin: [Substring]
  private let isHere: Bool

  /// Makes a namer for files relative to `folder`, an absolute path.
  /// - Parameter origin: the folder that relative file names refer to; nil for the same folder.
  init(relativeTo folder: String, from origin: String? = nil) {
    self.folder = Self.parts(folder)
    self.origin = Self.parts(origin ?? folder)
    isHere = self.folder == self.origin
  }

  /// Returns the name of `file` in reports: `guides/anchor.json`, `/srv/other.json` outside the folder, or `stdin` for
  /// `-`.
  func name(_ file: String) -> String {
    if file == "-" { return "stdin" }
    if isHere, Self.isPlain(file) { return file }
    let whole = file.hasPrefix("/") ? Self.parts(file) : Self.parts(origin.joined(separator: "/") + "/" + file)
    guard whole.starts(with: folder), whole.count > folder.count else { return "/" + whole.joined(separator: "/") }
    return whole.dropFirst(folder.count).joined(separator: "/")
  }

  /// Returns the path with which `file` can be opened.
  func path(_ file: String) -> String {
    file.hasPrefix("/") ? file : "/" + origin.joined(separator: "/") + "/" + file
  }

  /// Returns the URI of `file` (RFC 3986): relative inside the folder, otherwise `file:///…`.
  func uri(_ file: String) -> String {
    let name = name(file)
    return name.hasPrefix("/") ? "file://" + Self.encoded(name) : Self.encoded(name)
  }

  /// Whether a relative path has no redundant components.
  private static func isPlain(_ path: String) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in path.utf8 {
      if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return false }
      previous = byte
    }
    return previous != UInt8(ascii: "/")
  }

  /// Returns a path's components without `.`, `..` and empty ones. Symbolic links are not resolved.
  private static func parts(_ path: String) -> [Substring] {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts
  }

  /// Percent-encodes the characters that a URI does not allow, and `:`, which would end a scheme.
  private static func encoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        text += byte < 0x10 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
