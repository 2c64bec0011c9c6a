import Diagnostics
import Foundation
import JSONText

/// Reports findings as a JUnit test report, which CI systems show as failed tests.
///
/// A file is a test suite. Every finding that makes the run fail is a failed test; other findings are in the suite's
/// `system-out`. A suite without failures has one passed test. The counts come before the tests, so a suite is buffered
/// until its file is done. A suite that grows beyond a megabyte is continued in another suite (`… (part 2)`).
/// Conforms to the schema of Apache Ant's JUnit task.
public final class JUnitReport: FindingReport {
  /// The suite of the current file, which has the file's name in the report.
  private final class Suite {
    let file: String
    var part = 1
    var failures = 0
    var tests = ByteBuffer(capacity: 1 << 12)
    var remarks = ByteBuffer(capacity: 1 << 12)

    init(file: String) { self.file = file }
  }

  /// The number of bytes after which a suite is continued in another suite.
  private static let suiteLimit = 1 << 20

  private let output: ReportOutput
  private let paths: ReportPath
  private let options: ReportOptions
  private let timestamp: String
  private var suite: Suite?
  private var written = 0
  private var filesWritten: Set<String> = []

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    output = ReportOutput(options, to: sink)
    paths = ReportPath(relativeTo: options.workingDirectory)
    self.options = options
    // The schema does not allow a time zone. The time is UTC.
    timestamp = String(options.started.formatted(.iso8601).prefix(19))
  }

  /// Opens the document.
  public func begin() throws { try output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n") }

  /// Adds a finding to its file's suite.
  public func add(_ finding: Diagnostic) throws {
    let file = paths.name(finding.place.file)
    if suite?.file != file { try writeSuite() }
    let suite = suite ?? Suite(file: file)
    self.suite = suite
    let code = XMLEscaping.escape(finding.code.id)
    let place = XMLEscaping.escape(finding.place.description)
    let message = XMLEscaping.escape(finding.message)
    let title = finding.title.map { " (in “\(XMLEscaping.escape($0, limit: ReportEscaping.word))”)" } ?? ""
    let text = """
      \(place): \(finding.severity)[\(code)] \(message)\(title)
         why: \(XMLEscaping.escape(finding.why))
         fix: \(XMLEscaping.escape(finding.fix))

      """
    if options.fails(finding.severity) {
      suite.failures += 1
      let name = "\(code) \(XMLEscaping.escape(finding.code.name)) \(place)"
      suite.tests.append(utf8: "    <testcase name=\"\(name)\" classname=\"\(XMLEscaping.escape(file))\" time=\"0\">\n")
      suite.tests.append(utf8: "      <failure type=\"\(code)\" message=\"\(message)\">\(text)</failure>\n")
      suite.tests.append("    </testcase>\n")
    } else {
      suite.remarks.append(utf8: text)
    }
    if suite.tests.count + suite.remarks.count > Self.suiteLimit {
      try writeSuite()
      let next = Suite(file: suite.file)
      next.part = suite.part + 1
      self.suite = next
    }
  }

  /// Closes the file's suite, or writes a passed suite.
  public func checked(_ file: String) throws {
    let file = paths.name(file)
    if suite?.file == file { return try writeSuite() }
    if filesWritten.contains(file) { return }
    try writeSuite()
    suite = Suite(file: file)
    try writeSuite()
  }

  /// Writes the last suites and the omissions, and closes the document.
  public func end(_ summary: ReportSummary) throws {
    try writeSuite()
    if !summary.omissions.isEmpty { try writeOmissions(summary) }
    try output.write("</testsuites>\n")
    try output.flush()
  }

  private func writeSuite() throws {
    guard let suite else { return }
    self.suite = nil
    // A file's last suite may be empty.
    if suite.part > 1, suite.tests.count == 0, suite.remarks.count == 0 { return }
    filesWritten.insert(suite.file)
    let name = XMLEscaping.escape(suite.file)
    try open(suite.part > 1 ? "\(name) (part \(suite.part))" : name, package: name, failures: suite.failures)
    try output.write("    <properties/>\n")
    if suite.failures == 0 {
      try output.write("    <testcase name=\"\(name)\" classname=\"\(name)\" time=\"0\"/>\n")
    }
    try output.write(suite.tests.bytes.span)
    try output.write("    <system-out>")
    try output.write(suite.remarks.bytes.span)
    try output.write("</system-out>\n    <system-err/>\n  </testsuite>\n")
  }

  /// Writes a last suite that shows whether findings are missing from the report. The suite fails if any are missing.
  private func writeOmissions(_ summary: ReportSummary) throws {
    let failure = summary.status == 0 ? nil : summary.hiddenSentence
    try open("fleetkit", package: "fleetkit", failures: failure == nil ? 0 : 1)
    try output.write(
      """
          <properties>
            <property name="hidden" value="\(summary.hidden)"/>
            <property name="baseline" value="\(summary.baseline)"/>
          </properties>
          <testcase name="all findings are shown" classname="fleetkit" time="0"
      """)
    let content = failure.map { "><failure type=\"hidden\" message=\"\(XMLEscaping.escape($0))\"/></testcase>\n" }
    try output.write(content ?? "/>\n")
    let text = summary.omissions.map { XMLEscaping.escape($0) }.joined(separator: "\n")
    try output.write("    <system-out>\(text)</system-out>\n    <system-err/>\n  </testsuite>\n")
  }

  private func open(_ name: String, package: String, failures: Int) throws {
    try output.write(
      "  <testsuite id=\"\(written)\" name=\"\(name)\" package=\"\(package)\" timestamp=\"\(timestamp)\""
        + " hostname=\"\(XMLEscaping.escape(options.hostname))\" tests=\"\(max(1, failures))\" failures=\"\(failures)\""
        + " errors=\"0\" time=\"0\">\n")
    written += 1
  }
}

/// Makes text safe for XML 1.0.
private enum XMLEscaping {
  /// Escapes `text` for an element or a double-quoted attribute, on one line. Forbidden and unsafe characters are
  /// written visibly.
  static func escape(_ text: String, limit: Int = ReportEscaping.sentence) -> String {
    let line = ReportEscaping.line(text, limit: limit)
    if line.utf8.allSatisfy(isPlain) { return line }
    var safe = ""
    for scalar in line.unicodeScalars {
      switch scalar {
      case "&": safe += "&amp;"
      case "<": safe += "&lt;"
      // `]]>` is not allowed in an element.
      case ">": safe += "&gt;"
      case "\"": safe += "&quot;"
      case "'": safe += "&apos;"
      // Control characters, which XML also forbids, are already escaped.
      case "\u{FFFE}", "\u{FFFF}": safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
    // U+FFFE and U+FFFF begin with this byte.
    case 0xEF: false
    default: true
    }
  }
}
