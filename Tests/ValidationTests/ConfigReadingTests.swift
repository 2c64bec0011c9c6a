import ProjectConfiguration
import Diagnostics
import FleetKit
import TestSupport
import Testing
import Validation

/// The content of configurations, and the findings about invalid ones.
@Suite struct ConfigReadingTests {
  private func read(_ yaml: String) throws(ConfigurationError) -> Configuration {
    try Configuration(
      parsing: Array(yaml.utf8), file: ".fleetkit.yml", catalog: ConfigSelectionTests.catalog,
      scope: PathScope(folder: "/content", workingFolder: "/content"))
  }

  /// Returns `line:column-endColumn code` for each finding.
  private func mistakes(_ yaml: String) throws -> [String] {
    let error = try #require(throws: ConfigurationError.self) { try read(yaml) }
    return error.diagnostics.map {
      "\($0.place.line ?? 0):\($0.place.column ?? 0)" + ($0.place.endColumn.map { "-\($0)" } ?? "") + " \($0.code.id)"
    }
  }

  @Test func everyMemberIsRead() throws {
    let configuration = try read(
      """
      # how our school checks its content
      version: 1
      source: harbour-school
      select: [all]
      ignore: [long-title]
      severity:
        empty-section: error
        LIB0106: error
      exclude: [drafts/**, "*.rejects.jsonl"]
      paths:
        archive/**: {ignore: [lint]}
        "guides/*.json":
          severity: {LNT02: off}
      limits:
        glance_characters: 80
        checklist_minutes: 60
        section_steps: 12
      fail_on: warning
      profile: publish
      words: [mayday, "123"]
      """)
    #expect(configuration.path == ".fleetkit.yml" && configuration.source == "harbour-school")
    #expect(configuration.profile == .publish && configuration.failOn == .warning)
    #expect(configuration.failOn.severity == .warning)
    var limits = RuleLimits()
    limits.glanceCharacters = 80
    limits.checklistMinutes = 60
    limits.sectionSteps = 12
    limits.knownWords = ["mayday", "123"]
    #expect(configuration.limits == limits)
    #expect(configuration.excludes("drafts/x/a.json") && configuration.excludes("/content/x/a.rejects.jsonl"))
    #expect(!configuration.excludes("a.json") && !configuration.excludes("../drafts/a.json"))
    let rules = configuration.rules
    #expect(rules.severity(of: ConfigSelectionTests.emptySection, file: "a.json") == .error)
    #expect(rules.severity(of: ConfigSelectionTests.emptySection, file: "guides/a.json") == nil)
    #expect(rules.severity(of: ConfigSelectionTests.emptySection, file: "archive/guides/a.json") == nil)
    #expect(rules.severity(of: ConfigSelectionTests.longTitle, file: "a.json") == nil)
    #expect(rules.severity(of: ConfigSelectionTests.odd, file: "archive/a.json") == .error)
  }

  @Test(arguments: ["", "# nothing\n", "{}", "version: 1", "\u{FEFF}version: 1\r\n"])
  func whatIsNotSaidHasItsDefault(_ yaml: String) throws {
    let configuration = try read(yaml)
    #expect(configuration.profile == .structure && configuration.failOn == .error && configuration.source == nil)
    #expect(configuration.limits == RuleLimits() && !configuration.excludes("a"))
    #expect(configuration.rules.severity(of: ConfigSelectionTests.longTitle, file: "a") == .note)
  }

  @Test(arguments: [
    ("versoin: 1", ["1:1-8 CFG0103"]), ("[1]", ["1:1-4 CFG0104"]), ("text", ["1:1-5 CFG0104"]),
    ("version: 2", ["1:10-11 CFG0104"]), ("version: '1'", ["1:10-13 CFG0104"]), ("version:", ["1:9 CFG0104"]),
    ("a: 1\na: 2", ["2:1 CFG0102"]), ("a:\n\t- b", ["2:1 CFG0102"]),
    ("source: 12", ["1:9-11 CFG0104"]), ("source: ''", ["1:9-11 CFG0104"]), ("source: \"a\\nb\"", ["1:9-15 CFG0104"]),
    ("select: all", ["1:9-12 CFG0104"]), ("select:", ["1:8 CFG0104"]), ("select: [1]", ["1:10-11 CFG0104"]),
    ("select: [emty-section]", ["1:10-22 CFG0105"]), ("ignore: [LNT99, nope]", ["1:10-15 CFG0105", "1:17-21 CFG0105"]),
    ("select: [PUB0101]", ["1:10-17 CFG0108"]), ("select: [odd-id, LIB]", ["1:10-16 CFG0108", "1:18-21 CFG0108"]),
    (
      "ignore: [all, publish, no-title, PUB, SCH, LIB01, LIB0106]",
      [
        "1:10-13 CFG0108", "1:15-22 CFG0108", "1:24-32 CFG0108", "1:34-37 CFG0108", "1:39-42 CFG0108",
        "1:44-49 CFG0108",
        "1:51-58 CFG0108",
      ]
    ),
    ("severity: {empty-section: warn}", ["1:27-31 CFG0104"]), ("severity: [lint]", ["1:11-17 CFG0104"]),
    ("severity: {nope: error}", ["1:12-16 CFG0105"]), ("severity: {PUB0101: warning}", ["1:12-19 CFG0108"]),
    ("severity: {PUB0101: off}", ["1:12-19 CFG0108"]), ("severity: {odd-id: note}", ["1:12-18 CFG0108"]),
    ("severity: {all: warning}", ["1:12-15 CFG0108"]), ("severity: {SCH: warning}", ["1:12-15 CFG0108"]),
    ("exclude: ['[a', '']", ["1:11-15 CFG0106", "1:17-19 CFG0104"]), ("exclude: a", ["1:10-11 CFG0104"]),
    ("paths: {'{a': {ignore: [lint]}}", ["1:9-13 CFG0106"]), ("paths: {a: {exclude: [b]}}", ["1:13-20 CFG0103"]),
    ("paths: {a: [lint]}", ["1:12-18 CFG0104"]), ("paths: {a: {ignore: [publish]}}", ["1:22-29 CFG0108"]),
    ("limits: {glance_characters: 19}", ["1:29-31 CFG0104"]), ("limits: {section_steps: 1.5}", ["1:25-28 CFG0104"]),
    ("limits: {checklist_minutes: 99999999}", ["1:29-37 CFG0104"]), ("limits: {steps: 1}", ["1:10-15 CFG0103"]),
    ("fail_on: warnings", ["1:10-18 CFG0104"]), ("fail_on: false", ["1:10-15 CFG0104"]),
    ("profile: strict", ["1:10-16 CFG0104"]),
    ("words: [1]", ["1:9-10 CFG0104"]),
    ("select: [empty-section]\nignore: [LNT0203]", ["2:10-17 CFG0107"]),
    ("select: [lint]\nignore: [LNT]", ["2:10-13 CFG0107"]),
    ("severity: {empty-section: error, LNT0203: note}", ["1:34-41 CFG0107"]),
    ("ignore: [long-title]\nseverity: {LNT0301: note}", ["2:12-19 CFG0107"]),
    ("select: [long-title]\nseverity: {long-title: off}", ["2:12-22 CFG0107"]),
    ("paths:\n  a:\n    select: [LNT02]\n    ignore: [LNT02]", ["4:14-19 CFG0107"]),
  ])
  func everyMistakeIsReportedAtItsPlace(_ yaml: String, _ expected: [String]) throws {
    #expect(try mistakes(yaml) == expected, "\(yaml)")
  }

  @Test func whatLooksLikeAMistakeAndIsNone() throws {
    for yaml in [
      "severity: {PUB0101: error, LIB: error, odd-id: warning, JSN: error}", "severity: {lint: false}", "select: []",
      "select: [LNT0203]\nignore: [LNT]", "severity: {lint: off, empty-section: error}", "version: 0x1",
      "names: &x [lint]\n".replacing("names", with: "ignore"), "paths: {}",
      "ignore: [long-title]\nseverity: {LNT0301: off}",
      "{\"version\": 1, \"select\": [\"all\"]}",
    ] { #expect(throws: Never.self, "\(yaml)") { try read(yaml) } }
  }

  @Test func allMistakesAreReportedAtOnceInTheOrderOfTheFile() throws {
    let yaml = "profile: strict\nselct: [all]\nseverity: {nope: loud}\nignore: [empty_section]\n"
    #expect(
      try mistakes(yaml) == [
        "1:10-16 CFG0104", "2:1-6 CFG0103", "3:12-16 CFG0105", "3:18-22 CFG0104", "4:10-23 CFG0105",
      ])
    let error = try #require(throws: ConfigurationError.self) { try read(yaml) }
    let messages = error.diagnostics.map(\.message)
    #expect(messages[1].quoted == ["selct", "select"])
    #expect(messages[4].quoted == ["empty_section", "empty-section"])
    #expect(error.failure.status == .usage)
    #expect(!error.failure.description.contains("?."))
    #expect(error.failure.message.contains(" .fleetkit.yml:1:10: "))
    #expect(error.failure.message.numbers.contains(4))
    #expect(!error.failure.description.contains("\n"))
  }

  @Test func misspelledRulesAreRecognised() throws {
    for (written, meant) in [
      ("lnt0203", "LNT0203"), ("Lint", "lint"), ("Empty Section", "empty-section"), ("LNT0204", "LNT0203"),
      ("lnt", "LNT"),
      ("empty-sections", "empty-section"),
    ] {
      let error = try #require(throws: ConfigurationError.self) { try read("select: ['\(written)']") }
      #expect(error.diagnostics.first?.message.quoted == [written, meant])
    }
  }

  @Test func codesOfConfigurationsAreAllDifferent() {
    let codes = DiagnosticCode.configuration
    #expect(Set(codes.map(\.id)).count == codes.count && codes.map(\.id) == codes.map(\.id).sorted())
    // A name that is also the name of a lint rule would apply to more findings than a person who reads the
    // configuration expects.
    let others = FindingCodes.all.filter { !$0.isLint }.map(\.name)
    let lint = FindingCodes.all.filter(\.isLint).map(\.name)
    #expect(Set(lint).count == lint.count && Set(lint).isDisjoint(with: others))
    #expect(Set(lint + others).isDisjoint(with: RuleName.groups))
  }

  @Test func mutatedConfigurationsNeverTrap() throws {
    var random = SeededRandom(seed: 21)
    let seed = Array(
      "version: 1\nselect: [all]\nseverity:\n  empty-section: error\npaths:\n  'a/{b,c}/[d-e]*': {ignore: [lint]}\nlimits: {section_steps: 3}\n"
        .utf8)
    let pieces = ["[", "{", ": ", "'", "- ", "1", "\n", "null", "LNT", "*", "&a ", "é", "!", "99999999999999999999"].map
    { Array($0.utf8) }
    var good = 0
    for _ in 0..<5000 {
      var text = seed
      for _ in 0..<random.below(3) + 1 {
        let at = random.below(text.count)
        if random.below(2) == 0 { text.insert(contentsOf: random.pick(pieces), at: at) } else { text.remove(at: at) }
      }
      do {
        _ = try Configuration(parsing: text, file: "c", catalog: ConfigSelectionTests.catalog)
        good += 1
      } catch {
        #expect(
          !error.diagnostics.isEmpty && error.diagnostics.allSatisfy { $0.place.line != nil && $0.severity == .error })
      }
    }
    #expect(good > 20)
  }
}
