import Foundation
import Reports
import TestSupport
import Testing

/// What every format makes of one rich set of findings, in Tests/Fixtures/reports.
///
/// `FLEETKIT_RECORD=1` writes the files anew. A test that wrote its file fails, so that somebody reads it.
@Suite struct GoldenTests {
  private static let names: [ReportFormat: String] = [
    .text: "text.txt", .jsonl: "findings.jsonl", .sarif: "findings.sarif", .junit: "junit.xml", .github: "github.txt",
  ]

  @Test(arguments: ReportFormat.allCases)
  func writesWhatTheFileSays(_ format: ReportFormat) throws {
    try compare(try Sample().report(format), with: try #require(Self.names[format]))
  }

  @Test func coloursOnlyWhatIsOurs() throws {
    let sample = try Sample()
    var options = sample.options
    options.colour = true
    try compare(try Sample.write(.text, options, Array(sample.findings.prefix(3))), with: "colour.txt")
  }

  private func compare(_ found: String, with name: String) throws {
    let path = Paths.root + "/Tests/Fixtures/reports/" + name
    let expected = try? String(contentsOfFile: path, encoding: .utf8)
    let records = ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1"
    if expected == nil || records && expected != found {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try found.write(toFile: path, atomically: true, encoding: .utf8)
      Issue.record("\(name) was recorded; read it")
      return
    }
    let ours = found.split(separator: "\n", omittingEmptySubsequences: false)
    let theirs = (expected ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    for (index, (left, right)) in zip(ours, theirs).enumerated() {
      try #require(left == right, "\(name):\(index + 1)")
    }
    #expect(ours.count == theirs.count)
  }
}
