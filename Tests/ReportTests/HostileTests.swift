import Diagnostics
import Foundation
import Reports
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Content cannot forge a line, a command, an element or a finding in any report.
@Suite struct HostileTests {
  private static let summary = ReportSummary(files: 3, records: 9, status: 1)

  private func write(_ format: ReportFormat, _ findings: [Diagnostic]) throws -> String {
    let scratch = Scratch()
    let options = ReportOptions(toolVersion: "1", workingDirectory: scratch.path, failOn: .note)
    return try Sample.write(format, options, findings, [], Self.summary)
  }

  /// Returns the lines of a report without its last line break.
  private func lines(_ text: String) -> [String] {
    #expect(text.unicodeScalars.last == "\n")
    return text.unicodeScalars.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func expectQuiet(_ text: String) {
    for scalar in text.unicodeScalars where scalar != "\n" {
      #expect(TerminalEscaping.escape(scalar) == nil, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test(arguments: UInt64(1)...20) func text(_ seed: UInt64) throws {
    let findings = Hostile.findings(seed: seed, count: 50)
    let text = try write(.text, findings)
    expectQuiet(text)
    #expect(!text.contains("##["))
    var lines = lines(text)
    #expect(lines.removeLast() == "no findings in 3 files (9 records)")
    for finding in findings {
      let head = lines.removeFirst()
      #expect(head.contains(": \(finding.severity)[\(finding.code.id)] "))
      #expect(!head.drop(while: \.isWhitespace).hasPrefix("::"))
      if lines.first?.contains("│") == true, finding.excerpt != nil {
        lines.removeFirst()
        if finding.place.column != nil { #expect(lines.removeFirst().hasPrefix("      │ ")) }
      }
      #expect(lines.removeFirst().hasPrefix("   why: "))
      #expect(lines.removeFirst().hasPrefix("   fix: "))
      #expect(lines.removeFirst().isEmpty)
    }
    #expect(lines.isEmpty)
  }

  @Test(arguments: UInt64(1)...20) func github(_ seed: UInt64) throws {
    let findings = Hostile.findings(seed: seed, count: 50)
    let text = try write(.github, findings)
    expectQuiet(text)
    var lines = lines(text)
    #expect(lines.removeLast() == "no findings in 3 files (9 records)")
    try #require(lines.count == findings.count)
    let commands: [Severity: String] = [.error: "error", .warning: "warning", .note: "notice"]
    for (finding, line) in zip(findings, lines) {
      // This is how the runner parses a line: the command up to a space, properties up to the next `::`, then the
      // message.
      let head = "::" + (commands[finding.severity] ?? "") + " "
      try #require(line.hasPrefix(head))
      let rest = line.dropFirst(head.count)
      let middle = try #require(rest.range(of: "::"))
      let properties = rest[..<middle.lowerBound].split(separator: ",").map { $0.split(separator: "=")[0] }
      #expect(Set(properties).isSubset(of: ["file", "line", "col", "endColumn", "title"]))
      #expect(Set(properties).count == properties.count)
      #expect(properties.first == "file" && properties.last == "title")
      let message = rest[middle.upperBound...].replacing("%0A", with: "\n").replacing("%25", with: "%")
      let parts = message.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(parts.count == (finding.place.line == nil || !isInFile(finding.place) ? 4 : 3))
    }
  }

  private func isInFile(_ place: Place) -> Bool { place.row == nil && place.member == nil }

  @Test(arguments: UInt64(1)...20) func jsonLines(_ seed: UInt64) throws {
    let findings = Hostile.findings(seed: seed, count: 50)
    let text = try write(.jsonl, findings)
    expectQuiet(text)
    var objects: [NSDictionary] = []
    for line in lines(text) { objects.append(try #require(ForeignJSON.parse(line) as? NSDictionary)) }
    try #require(objects.count == findings.count + 1)
    #expect(objects.removeLast()["kind"] as? String == "summary")
    for (finding, object) in zip(findings, objects) {
      #expect(object["kind"] as? String == "finding")
      #expect(scalars(object["message"]) == Array(finding.message.unicodeScalars))
      #expect(scalars(object["file"]) == Array(finding.place.file.unicodeScalars))
    }
  }

  @Test(arguments: UInt64(1)...20) func sarif(_ seed: UInt64) throws {
    let findings = Hostile.findings(seed: seed, count: 50)
    let text = try write(.sarif, findings)
    expectQuiet(text)
    let log = try #require(ForeignJSON.parse(text) as? NSDictionary)
    let run = try #require((log["runs"] as? [NSDictionary])?.first)
    let results = try #require(run["results"] as? [NSDictionary])
    try #require(results.count == findings.count)
    for (finding, result) in zip(findings, results) {
      #expect(result["ruleId"] as? String == finding.code.id)
      #expect(result["level"] as? String == finding.severity.description)
      let message = try #require((result["message"] as? NSDictionary)?["text"] as? String)
      #expect(message.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
      // No placeholder or link is left.
      #expect(!message.replacing("{{", with: "").contains(/\{[0-9]/))
      #expect(!message.contains(/(^|[^\\])\[[^\]\\]*\]\(/))
    }
  }

  @Test(arguments: UInt64(1)...20) func junit(_ seed: UInt64) throws {
    let findings = Hostile.findings(seed: seed, count: 50)
    let text = try write(.junit, findings)
    expectQuiet(text)
    let counter = ElementCounter()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = counter
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(counter.counts["failure"] == findings.count)
    #expect(counter.counts["testcase"] == findings.count)
    #expect(counter.types == findings.map(\.code.id))
  }

  private func scalars(_ value: Any?) -> [UnicodeScalar]? { (value as? String).map { Array($0.unicodeScalars) } }
}

/// Counts the elements of a document.
private final class ElementCounter: NSObject, XMLParserDelegate {
  var counts: [String: Int] = [:]
  var types: [String] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    counts[name, default: 0] += 1
    if name == "failure" { types.append(attributes["type"] ?? "") }
  }
}
