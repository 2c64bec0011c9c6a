import FleetKit
import Foundation
import TestSupport
import Testing

/// `validate` with vaults: every note is a separate file in places, counts, configuration and baselines.
@Suite struct VaultValidationTests {
  private static let notes = [
    (
      "chain.md", "# Chain\r\n\r\n## Long one\r\n\r\n👩‍✈️\t[[⟪nothing⟫]] ⟪TODO⟫\r\n",
      ["LNT0304", "LNT0412"]
    ),
    (
      "checklists/engine.md",
      """
      ---
      type: checklist
      ---
      ## Cold engine
      - [ ] Oil, ⟪the the⟫ level #oil
      \t
        Look at ⟪TODO⟫ and [[⟪Dipstick⟫]].
      - [ ] 🛢️ Sea cock · 5 min
      """, ["LNT0414", "LNT0412", "LNT0304"]
    ),
    ("drafts/d.md", "Draft [[⟪none⟫]]\n", ["LNT0304"]),
    (
      "guides/Якорь.md",
      """
      ---
      title: ⟪ANCHORING IN THE MEDITERRANEAN SEA⟫
      tags: [sea, Anker, ⟪sea⟫] # twice
      ---
      # Anchoring

      See [[⟪Chain#Short⟫]], [[chain#long one]], [[⟪Нет⟫]] and [the coast](⟪http://example.org/coast⟫).

      ![k](../img/knot.png) ![n](⟪../img/none.png⟫)
      """, ["LNT0413", "LNT0402", "LNT0304", "LNT0304", "LNT0307", "LNT0305"]
    ),
  ]

  private static func vault() throws -> Scratch {
    let scratch = Scratch()
    for folder in ["vault/checklists", "vault/drafts", "vault/guides", "vault/img"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    for (path, text, _) in notes { _ = try scratch.write("vault/" + path, Marked(text).text) }
    _ = try scratch.write("vault/img/knot.png", "abc")
    return scratch
  }

  private static func expected(_ folder: String) -> [String] {
    notes.flatMap { path, text, codes in
      zip(codes, Marked(text).spots).map { "\(folder)/\(path) \($0) \($1)" }
    }.sorted()
  }

  private static func shape(_ finding: Diagnostic) -> String {
    let place = finding.place
    return "\(place.file) \(finding.code.id) \(place.line ?? 0):\(place.column ?? 0)–\(place.endColumn ?? 0)"
  }

  @Test(arguments: ["vault", "vault/"])
  func placesInFrontMatterTextAndLinks(_ name: String) throws {
    let scratch = try Self.vault()
    let found = try Collecting.findings([scratch[name]]).filter { !$0.code.id.hasPrefix("MKD") }
    // Links can be checked only after all notes were read, so findings about links come last.
    #expect(found.map(Self.shape).sorted() == Self.expected(scratch["vault"]), "\(found.map(\.message))")
  }

  /// The rules do not report a link again that the vault reader has reported. For a single note, the rules report it.
  @Test func oneNote() throws {
    let scratch = try Self.vault()
    let found = try Collecting.findings([scratch["vault/drafts/d.md"]]).filter { $0.code.id.hasPrefix("LNT") }
    #expect(found.map(Self.shape) == [Self.expected(scratch["vault"]).first { $0.contains("/drafts/") }])
  }

  // MARK: Through the command

  private struct Report {
    var findings: [[String: Any]] = []
    var summary: [String: Any] = [:]

    init(_ output: String) throws {
      for line in output.split(separator: "\n") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        if object["kind"] as? String == "summary" { summary = object } else { findings.append(object) }
      }
    }

    var shapes: [String] {
      findings.map { "\($0["file"] ?? "") \($0["code"] ?? "") \($0["line"] ?? 0):\($0["column"] ?? 0)" }
    }
  }

  private static func run(_ scratch: Scratch, _ arguments: String...) throws -> Answer {
    try Shell.run(Paths.command, ["validate", "vault"] + arguments, folder: scratch.path)
  }

  private static func lint(_ scratch: Scratch, _ arguments: String...) throws -> [String] {
    let answer = try Shell.run(
      Paths.command, ["validate", "vault", "--report", "jsonl"] + arguments, folder: scratch.path)
    return try Report(answer.output).shapes.filter { $0.contains(" LNT") }.sorted()
  }

  private static func starts(_ shapes: [String]) -> [String] {
    shapes.map { String($0.prefix { $0 != "–" }) }.sorted()
  }

  @Test func fiveReportsSayTheSame() throws {
    let scratch = try Self.vault()
    let expected = Self.expected("vault")
    #expect(try Self.lint(scratch) == Self.starts(expected))
    let report = try Report(try Self.run(scratch, "--report", "jsonl").output)
    #expect(report.summary["files"] as? Int == 4)
    #expect(report.summary["files_with_findings"] as? Int == 4)
    let text = try Self.run(scratch).output
    #expect(text.contains("vault/chain.md:5:8: warning[LNT0304]"))
    #expect(text.contains("title: ANCHORING IN THE MEDITERRANEAN SEA\n"))
    // The summary counts findings in 4 of 4 files, and 5 records.
    let totals = text.split(separator: "\n").last.map { String($0).numbers } ?? []
    #expect(totals.count { $0 == 4 } >= 2 && totals.contains(5))
    let github = try Self.run(scratch, "--report", "github").output
    #expect(github.contains("::warning file=vault/guides/Якорь.md,line=7,col=7,endColumn=18,title=LNT0304 dead-link::"))
    let junit = try Self.run(scratch, "--report", "junit").output
    for (path, _, _) in Self.notes {
      #expect(junit.contains("<testsuite id=") && junit.contains("name=\"vault/\(path)\""))
    }
    let sarif = try Self.run(scratch, "--report", "sarif").output
    #expect(sarif.contains("\"uri\":\"vault/chain.md\""))
  }

  @Test func configurationKnowsNotes() throws {
    let scratch = try Self.vault()
    _ = try scratch.write(
      "vault/.fleetkit.yml",
      """
      exclude: ["drafts/**"]
      severity:
        dead-link: error
      paths:
        "guides/**":
          ignore: [dead-link, shouting-title]

      """)
    let answer = try Self.run(scratch, "--report", "jsonl")
    #expect(answer.status == 1)
    let expected = Self.expected("vault").filter {
      !$0.contains("/drafts/") && !($0.contains("/guides/") && ($0.contains("LNT0304") || $0.contains("LNT0413")))
    }
    #expect(try Self.lint(scratch) == Self.starts(expected))
    let report = try Report(answer.output)
    #expect(report.summary["files"] as? Int == 3)
    #expect(
      report.findings.filter { $0["code"] as? String == "LNT0304" }.map { $0["severity"] as? String } == [
        "error", "error",
      ])
  }

  /// A link to an excluded note is not dead.
  @Test func linksToExcludedNotes() throws {
    let scratch = try Self.vault()
    _ = try scratch.write("vault/.fleetkit.yml", "exclude: [\"checklists/**\", \"drafts/**\", \"guides/**\"]\n")
    _ = try scratch.write("vault/chain.md", "[[d]] [[drafts/d#any]] [[zz]]\n")
    #expect(try Self.lint(scratch) == ["vault/chain.md LNT0304 1:26"])
  }

  @Test func aBaselineKnowsNotes() throws {
    let scratch = try Self.vault()
    #expect(try Self.run(scratch, "--baseline", "old.json", "--update-baseline").status == 0)
    #expect(try Self.lint(scratch, "--baseline", "old.json") == [])
    // The new lines above a link only move it, but the second link is new.
    _ = try scratch.write("vault/drafts/d.md", "New\n\nDraft [[none]] [[new]]\n")
    #expect(try Self.lint(scratch, "--baseline", "old.json") == ["vault/drafts/d.md LNT0304 3:18"])
    _ = try scratch.write("vault/drafts/d.md", "Nothing\n")
    let answer = try Self.run(scratch, "--baseline", "old.json")
    #expect(answer.errors.contains("1 "), "\(answer.errors)")
  }

  /// Removing a duplicate tag cannot be expressed as replacing one text, so the note is left unchanged.
  @Test func fixLeavesWhatItCannotReplace() throws {
    let scratch = try Self.vault()
    let before = try scratch.text("vault/guides/Якорь.md")
    let answer = try Self.run(scratch, "--fix")
    #expect(answer.errors.contains("left vault/guides/Якорь.md:3:20: [LNT0402]"), "\(answer.errors)")
    #expect(try scratch.text("vault/guides/Якорь.md") == before)
  }

  @Test func aNoteNamedWithItsVaultIsCheckedOnce() throws {
    let scratch = try Self.vault()
    let answer = try Shell.run(
      Paths.command, ["validate", "vault", "vault/chain.md", "--report", "jsonl"], folder: scratch.path)
    #expect(
      try Report(answer.output).shapes.filter { $0.contains(" LNT") }.sorted() == Self.starts(Self.expected("vault")))
  }

  @Test func selectedNotes() throws {
    let scratch = try Self.vault()
    let answer = try Shell.run(
      Paths.command, ["validate", "vault", "--title", "Chain", "--report", "jsonl"], folder: scratch.path)
    let found = try Report(answer.output).shapes.filter { $0.contains(" LNT") }.sorted()
    #expect(found == Self.starts(Self.expected("vault")).filter { $0.contains("chain.md") }, "\(answer.errors)")
  }

  /// Text in an old encoding is displayed as it was decoded.
  @Test func notesInOldEncodings() throws {
    let scratch = try Self.vault()
    let text = "# Швартовка\n\nСмотри также [[нигде]] и всё остальное, что написано раньше.\n"
    try #require(text.data(using: .windowsCP1251)).write(to: URL(fileURLWithPath: scratch["vault/cp1251.md"]))
    let answer = try Self.run(scratch)
    #expect(answer.output.contains("vault/cp1251.md:3:16: warning[LNT0304]"), "\(answer.output)")
    #expect(answer.output.contains("Смотри также [[нигде]] и всё"))
  }
}
