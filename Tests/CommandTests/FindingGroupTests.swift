import Diagnostics
import FleetKit
import Foundation
import TestSupport
import Testing

/// Findings are grouped by kind, so that no number of harmless findings hides an important one.
@Suite struct FindingGroupTests {
  private static func finding(_ code: DiagnosticCode, _ file: String, _ severity: Severity? = nil) -> Diagnostic {
    Diagnostic(code, "message", at: Place(file: file, line: 1), severity: severity)
  }

  @Test func theOneThatMattersIsKept() {
    let log = DiagnosticLog()
    for number in 0..<15_000 { log.report(Self.finding(.timeCut, "f\(number % 7).jsonl")) }
    // Two more findings: one with the same code, and one with a different code.
    log.report(Self.finding(.timeCut, "here.jsonl", .warning))
    log.report(Self.finding(.unreadFile, "Plan.docx"))
    let groups = log.groups()
    #expect(groups.map(\.count) == [1, 1, 15_000])
    #expect(groups.prefix(2).compactMap { $0.kept.first?.place.file } == ["Plan.docx", "here.jsonl"])
    #expect(log.total == 15_002 && log.count(.warning) == 2 && log.count(.note) == 15_000)
    #expect(log.counts[.timeCut] == 15_001 && log.kept.count == 502)
  }

  @Test func filesAreToldApart() {
    let log = DiagnosticLog(keepPerCode: 2)
    for file in ["a", "a", "a", "b", "c"] { log.report(Self.finding(.unreadFile, file)) }
    let only = log.groups { $0 == "b" || $0 == "c" }
    #expect(only.map(\.count) == [2] && only.first?.kept.map(\.place.file) == ["b", "c"])
    // Appending a log adds its counts and its files.
    let sum = DiagnosticLog(keepPerCode: 2)
    sum.report(Self.finding(.unreadFile, "c"))
    sum.add(log)
    #expect(sum.total == 6 && sum.groups { $0 == "c" }.map(\.count) == [2])
    #expect(sum.groups { $0 == "a" }.map(\.count) == [3])
    let moved = sum.moved()
    #expect(moved?.total == 6 && sum.total == 0)
  }

  /// 15,000 records whose ids are replaced do not hide a single record of a kind that no library can hold.
  @Test func aWholeRunShowsIt() throws {
    let scratch = Scratch()
    var lines = ["{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}"]
    for number in 0..<15_000 {
      lines.append(
        "{\"kind\":\"item\",\"id\":\"n\(number)\",\"content_type\":\"practice_guide\",\"title\":\"Guide \(number)\","
          + "\"content_data\":{\"markdown\":\"Text\"}}")
      if number == 9_000 {
        lines.append(#"{"kind":"item","id":"odd","content_type":"practice_guide","title":"Odd","txet":1}"#)
      }
    }
    let bundle = try scratch.write("a.jsonl", lines.joined(separator: "\n") + "\n")
    let answer = try Shell.fleetkit("convert", bundle, "--to", scratch["b.jsonl"])
    #expect(answer.errors.contains("a.jsonl:9003") && answer.errors.contains("BND0111"))
    #expect(answer.errors.split(separator: "\n").count < 30)
  }

  /// A finding that means "something you wrote did not arrive, or arrived elsewhere" is at least a warning.
  @Test(arguments: SeverityTests.codes)
  func whatDidNotArriveIsAWarning(_ id: String) throws {
    let code = try #require(FindingCodes.all.first { $0.id == id })
    #expect(code.severity >= .warning)
    // The page lists the codes by severity.
    let page = try String(contentsOfFile: Paths.root + "/docs/findings.md", encoding: .utf8)
    let list = try #require(page.range(of: "## By severity"))
    let row = page[list.upperBound...].split(separator: "\n").first { $0.contains("[\(id)](") }
    #expect(row?.hasPrefix("| \(code.severity) |") == true)
  }
}
