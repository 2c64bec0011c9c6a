import Diagnostics
import Foundation
import JSONText
import Reports
import TestSupport
import Testing

/// Properties that all report formats share, and properties of single formats.
@Suite struct ReportTests {
  private func options(_ folder: String = "/srv/boat", failOn: Severity? = .error) -> ReportOptions {
    ReportOptions(toolVersion: "1", workingDirectory: folder, failOn: failOn)
  }

  // MARK: File names

  @Test(arguments: [
    ("a b.md", "a%20b.md"), ("паруса.md", "%D0%BF%D0%B0%D1%80%D1%83%D1%81%D0%B0.md"), ("a#1?.md", "a%231%3F.md"),
    ("100%.md", "100%25.md"), ("c:d.md", "c%3Ad.md"), ("./x/../a.md", "a.md"), ("/srv/boat/x/a.md", "x/a.md"),
    ("/srv/boats/a.md", "file:///srv/boats/a.md"), ("../a.md", "file:///srv/a.md"),
    ("../../../../../a.md", "file:///a.md"), ("-", "stdin"), ("~a_.-", "~a_.-"), ("a\u{7}\n", "a%07%0A"),
  ])
  func sarifNamesFilesAsAddresses(_ file: String, _ uri: String) throws {
    let text = try Sample.write(.sarif, options(), [Diagnostic(Sample.style, "m", at: Place(file: file))])
    #expect(text.contains("\"artifactLocation\":{\"uri\":\"\(uri)\"}"))
    // Foundation applies the same rules for addresses.
    #expect(URL(string: uri)?.absoluteString == uri)
  }

  @Test func gitHubNamesRelativeFiles() throws {
    let place = Place(file: "/srv/boat/a, b: c.md", line: 2, column: 3, endColumn: 3)
    let text = try Sample.write(.github, options(), [Diagnostic(Sample.style, "m", at: place)])
    #expect(text.hasPrefix("::notice file=a%2C b%3A c.md,line=2,col=3,title=LNT0301 style::m%0Awhy: "))
  }

  // MARK: SARIF

  @Test func sarifTellsOnlyAbsoluteHelpAddresses() throws {
    let findings = [Sample.wrongUnit, Sample.style].map { Diagnostic($0, "m", at: Place(file: "a")) }
    let text = try Sample.write(.sarif, options(), findings)
    #expect(!text.contains("docs/rules/wrong-unit.md"))
    #expect(text.contains("\"helpUri\":\"https://fleetkit.example/rules/style\""))
  }

  @Test func sarifMessagesHoldNoPlaceholders() throws {
    let text = try Sample.write(.sarif, options(), [Diagnostic(Sample.style, "{0} [x](1) \\", at: Place(file: "a"))])
    #expect(text.contains("\"text\":\"{{0}} \\\\[x\\\\](1) \\\\\\\\\\nwhy: "))
  }

  @Test(arguments: [(0, true), (1, true), (2, false), (130, false)])
  func sarifSaysWhetherTheRunGotToItsEnd(_ status: Int32, _ successful: Bool) throws {
    let text = try Sample.write(.sarif, options(), [], [], ReportSummary(status: status))
    #expect(text.contains("\"executionSuccessful\":\(successful),\"exitCode\":\(status)"))
  }

  // MARK: JUnit

  @Test func junitFailsFromTheSeverityThatFailsTheRun() throws {
    let findings = [Sample.wrongUnit, Sample.emptySection, Sample.style].map {
      Diagnostic($0, "m", at: Place(file: "a.md"))
    }
    func failures(_ failOn: Severity?) throws -> Int {
      try Sample.write(.junit, options(failOn: failOn), findings).split(separator: "<failure ").count - 1
    }
    #expect(try failures(.error) == 1)
    #expect(try failures(.warning) == 2)
    #expect(try failures(.note) == 3)
    #expect(try failures(nil) == 0)
  }

  @Test func junitHasASuiteForEveryFile() throws {
    func finding(_ file: String) -> Diagnostic { Diagnostic(Sample.wrongUnit, "m", at: Place(file: file)) }
    var text = ""
    let report = JUnitReport(options()) { text += String(decoding: $0) }
    try report.begin()
    try report.add(finding("a"))
    try report.checked("./a")
    try report.checked("b")
    // Findings may come in any order. A file may then have two suites, but never both a passed and a failed one.
    try report.add(finding("c"))
    try report.add(finding("d"))
    try report.add(finding("c"))
    try report.checked("d")
    try report.checked("c")
    try report.end(ReportSummary(status: 1))
    let suites = text.matches(of: /<testsuite id="(\d+)" name="(\w)".*tests="(\d)" failures="(\d)"/).map {
      "\($0.output.1) \($0.output.2) \($0.output.3) \($0.output.4)"
    }
    #expect(suites == ["0 a 1 1", "1 b 1 0", "2 c 1 1", "3 d 1 1", "4 c 1 1"])
  }

  @Test func junitContinuesALargeFileInAnotherSuite() throws {
    var largest = 0
    var text = ""
    let report = JUnitReport(options()) {
      largest = max(largest, $0.count)
      text += String(decoding: $0)
    }
    try report.begin()
    let count = 2000
    let message = String(repeating: "x", count: 1000)
    for index in 0..<count {
      try report.add(Diagnostic(Sample.wrongUnit, message, at: Place(file: "a.md", line: index + 1)))
    }
    try report.checked("a.md")
    try report.end(ReportSummary(status: 1))
    #expect(largest < 3 << 20)
    let parts = text.matches(of: /name="a.md( \(part \d+\))?" package="a.md".* tests="(\d+)" failures="(\d+)"/)
    #expect(parts.count > 2)
    #expect(parts.map { Int($0.output.3) ?? 0 }.reduce(0, +) == count)
  }

  @Test func junitSaysThatFindingsAreNotShown() throws {
    let cut = try Sample.write(.junit, options(), [], [], ReportSummary(hidden: 3, status: 1))
    let failure = try #require(cut.firstMatch(of: /<failure type="hidden" message="([^"]*)"/)).output.1
    #expect(String(failure).numbers == [0, 3] && failure.contains("--max-findings 0"))
    let known = try Sample.write(.junit, options(), [], [], ReportSummary(baseline: 1))
    #expect(!known.contains("<failure"))
    #expect(known.contains(/\b1\b[^"]*baseline/))
  }

  // MARK: Writing

  private struct DiskFull: Error {}

  @Test(arguments: ReportFormat.allCases) func whatTheSinkThrowsEndsTheReport(_ format: ReportFormat) throws {
    #expect(throws: DiskFull.self) {
      let report = format.makeReport(options()) { _ in throw DiskFull() }
      try report.begin()
      for finding in Hostile.findings(seed: 2, count: 9) { try report.add(finding) }
      try report.end(ReportSummary())
    }
  }

  @Test(arguments: ReportFormat.allCases) func thePiecesDoNotMatter(_ format: ReportFormat) throws {
    var options = options()
    options.started = Date(timeIntervalSince1970: 0)
    let findings = Hostile.findings(seed: 4, count: 40)
    let whole = try Sample.write(format, options, findings)
    options.flushEvery = 0
    #expect(try Sample.write(format, options, findings) == whole)
  }

  @Test func sentencesCount() {
    #expect(ReportSummary(files: 1, records: 1).sentence == "no findings in 1 file (1 record)")
    let summary = ReportSummary(
      severities: [.error: 3, .warning: 1], hidden: 1, files: 14, filesWithFindings: 2, records: 412)
    #expect(summary.sentence == "3 errors, 1 warning in 2 of 14 files (412 records)")
    // A finding about a folder does not count as a finding in any of the folder's files.
    let folder = ReportSummary(severities: [.note: 1], files: 22, records: 1)
    #expect(folder.sentence == "1 note in 22 files (1 record)")
    #expect(summary.omissions == ["1 more finding not shown; --max-findings 0 shows all"])
  }

  // MARK: Findings

  @Test func placesOfCells() {
    var place = Place(file: "l.sqlite", line: 14, column: 3, row: .init(table: "t", id: "3F", column: "markdown"))
    #expect(place.description == "l.sqlite#t/3F/markdown:14:3")
    place.pointer = "/0/title"
    #expect(place.description == "l.sqlite#t/3F/markdown:/0/title")
    place.row = .init(table: "t", id: "3F")
    #expect(place.description == "l.sqlite#t/3F")
    #expect(Place(file: "a", line: 2, pointer: "/x").description == "a:2")
    #expect(Place(file: "a", pointer: "/x").description == "a#/x")
  }

  @Test func aFindingSaysMoreThanItsCode() {
    let plain = Diagnostic(Sample.style, "m", at: Place(file: "a"), label: "")
    #expect(plain.why == Sample.style.why && plain.label == nil && plain.excerpt == nil)
    #expect(Diagnostic(Sample.style, "m", at: Place(file: "a"), why: "because").why == "because")
  }
}
