import Reports
import TestSupport
import Testing

/// Compares the output of every format for a varied set of findings with `Tests/Golden/reports`.
@Suite struct GoldenTests {
  private static let names: [ReportFormat: String] = [
    .text: "text.txt", .jsonl: "findings.jsonl", .sarif: "findings.sarif", .junit: "junit.xml", .github: "github.txt",
  ]

  @Test(arguments: ReportFormat.allCases)
  func writesWhatTheFileSays(_ format: ReportFormat) throws {
    try Golden.compare(try Sample().report(format), with: "reports/" + #require(Self.names[format]))
  }

  @Test func coloursOnlyWhatIsOurs() throws {
    let sample = try Sample()
    var options = sample.options
    options.colour = true
    try Golden.compare(
      try Sample.write(.text, options, Array(sample.findings.prefix(3))), with: "reports/colour.txt")
  }
}
