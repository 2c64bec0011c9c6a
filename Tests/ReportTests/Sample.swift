import Diagnostics
import Foundation
import JSONText
import Reports
import TestSupport

/// Files with findings of every kind, and their reports.
struct Sample {
  static let wrongUnit = DiagnosticCode(
    "SCH0403", "wrong-unit", .error, "A number is written as text.",
    why: "practice_guide schedules by minutes", fix: "write a whole number", helpPath: "docs/rules/wrong-unit.md")
  static let emptySection = DiagnosticCode(
    "LNT0201", "empty-section", .warning, "A section has no items.", why: "nobody can tick it",
    fix: "remove it, or add an item")
  static let style = DiagnosticCode(
    "LNT0301", "style", .note, "A title is shouted.", why: "capitals are hard to read",
    fix: "write the title in lower case",
    helpPath: "https://fleetkit.example/rules/style")

  /// The working directory of the run.
  let folder = Scratch()

  init() throws {
    for name in ["guides", "паруса 100%"] {
      try FileManager.default.createDirectory(atPath: folder[name], withIntermediateDirectories: true)
    }
    _ = try folder.write("guides/breath.md", "---\r\ntitle: Breath\r\nduration: \"5 min\"\r\n---\r\n")
    _ = try folder.write("паруса 100%/швартовка #1.md", "# Швартовка\n\n\t- [ ] 錨を上げる кранец\n")
    let items = (0..<60).map { "{\"title\":\"Step \($0)\",\"isOptional\":false}" }.joined(separator: ",")
    _ = try folder.write("bundle.jsonl", "{\"kind\":\"bundle\"}\n{\"title\":\"Anchor\",\"items\":[\(items)]}\n")
  }

  var options: ReportOptions {
    ReportOptions(
      toolVersion: "1.2.3", informationURI: "https://fleetkit.example/",
      helpBase: "https://fleetkit.example/blob/main/", workingDirectory: folder.path, failOn: .error,
      started: Date(timeIntervalSince1970: 1_767_607_872))
  }

  var findings: [Diagnostic] {
    [
      Diagnostic(
        Self.wrongUnit, "'duration' must be a whole number of minutes",
        at: Place(file: "guides/breath.md", line: 3, column: 11, endColumn: 18, pointer: "/duration"),
        title: "Breath", fix: "duration: 5", label: "string"),
      Diagnostic(
        Self.style, "the title is shouted", at: Place(file: "./guides/breath.md", line: 2, column: 8, endColumn: 14)),
      Diagnostic(
        Self.emptySection, "a step names nothing",
        at: Place(file: "паруса 100%/швартовка #1.md", line: 3, column: 8, endColumn: 13), label: "錨を上げる"),
      Diagnostic(
        Self.wrongUnit, "'isOptional' must be a text",
        at: Place(file: "bundle.jsonl", line: 2, column: 1214, endColumn: 1219, pointer: "/items/29/isOptional"),
        record: "checklist 3F2A", title: "Anchor", label: "boolean"),
      Diagnostic(
        Self.emptySection, "a section has no items",
        at: Place(
          file: "library.sqlite", row: Place.Row(table: "checklists", id: "3F2A", column: "content"),
          pointer: "/0/items"),
        record: "checklist 3F2A", title: "Mooring"),
      Diagnostic(
        Self.wrongUnit, "a task has no text",
        at: Place(
          file: "library.sqlite", line: 14, column: 3, endColumn: 8,
          row: Place.Row(table: "practice_guides", id: "4B1C", column: "markdown")),
        record: "practice_guide 4B1C", why: "the app hides it", label: "empty", excerpt: "- [ ] "),
      Diagnostic(
        .notJSON, "the text ends before the value does", at: Place(file: "-", line: 1, column: 7)),
      Diagnostic(.notJSON, "the text is empty", at: Place(file: "/srv/other boat/pack.json")),
      Diagnostic(
        Self.style, "the title is shouted",
        at: Place(file: "pack.zip", member: "guides/a.json", line: 4, column: 2, pointer: "/title")),
    ]
  }

  /// The counts of a run with these findings, including findings that are not shown.
  var summary: ReportSummary {
    var summary = ReportSummary(
      hidden: 88, baseline: 5, files: 14, filesWithFindings: 7, records: 412, status: 1, failOn: .error)
    for finding in findings { summary.count(finding) }
    summary.severities[.warning, default: 0] += 88
    summary.codes[Self.emptySection, default: 0] += 88
    return summary
  }

  /// Returns the output in a report format.
  func report(_ format: ReportFormat) throws -> String {
    try Self.write(format, options, findings, ["guides/sound.md"], summary)
  }

  /// Writes a report: the findings, then the files without findings, then the summary.
  static func write(
    _ format: ReportFormat, _ options: ReportOptions, _ findings: [Diagnostic], _ sound: [String] = [],
    _ summary: ReportSummary = ReportSummary()
  ) throws -> String {
    var bytes: [UInt8] = []
    let report = format.makeReport(options) { bytes += [UInt8]($0) }
    try report.begin()
    for finding in findings { try report.add(finding) }
    for file in sound { try report.checked(file) }
    try report.end(summary)
    return String(decoding: bytes, as: UTF8.self)
  }
}
