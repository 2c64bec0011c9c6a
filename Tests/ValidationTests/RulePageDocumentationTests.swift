import Diagnostics
import FleetKit
import Foundation
import TestSupport
import Testing

/// The rule pages are generated from doc comments by `make docs`.
@Suite struct RulePageDocumentationTests {
  private static let folder = Paths.root + "/docs/rules"
  private static let records = ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1"

  @Test func everyRuleHasACurrentPage() throws {
    let pages = try RulePage.all()
    var wanted = ["README.md": Self.index(pages)]
    for rule in RuleSet.all {
      let page = try #require(pages["\(rule)"], "\(rule) has no page")
      wanted[rule.code.name + ".md"] = Self.page(rule, page)
    }
    try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
    for (name, text) in wanted {
      let path = Self.folder + "/" + name
      let found = try? String(contentsOfFile: path, encoding: .utf8)
      if found == text { continue }
      if Self.records { try text.write(toFile: path, atomically: true, encoding: .utf8) }
      Issue.record("docs/rules/\(name) \(Self.records ? "was recorded anew; read it" : "is stale: make docs")")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder) where wanted[name] == nil {
      if Self.records { try FileManager.default.removeItem(atPath: Self.folder + "/" + name) }
      Issue.record("docs/rules/\(name) is the page of no rule")
    }
  }

  private static func page(_ rule: any Rule.Type, _ page: RulePage) -> String {
    let code = rule.code
    let asked =
      rule.layer == .publish
      ? "with `--profile publish`, and before anything is sent; it cannot be turned off"
      : "always; turn it off with `ignore: [\(code.name)]` in `.fleetkit.yml`, or change its severity under `severity`"
    var text = "# \(code.id) \(code.name)\n\n"
    var blocks = page.text.components(separatedBy: "\n")
    for index in blocks.indices where blocks[index].hasPrefix("```json") {
      let words = blocks[index].split(separator: " ").map(String.init)
      let pointers = words.filter { $0.hasPrefix("/") }.map { "`\($0)`" }
      let isBad = words.contains("bad")
      blocks[index] =
        (isBad ? "Found at \(pointers.joined(separator: ", ")):" : "Nothing is found here:") + "\n\n```json"
    }
    text += blocks.joined(separator: "\n").trimmingCharacters(in: .newlines)
    text += """


      - What is found: \(code.summary)
      - Why it matters: \(code.why).
      - What to do: \(code.fix).
      - Severity: \(code.severity)
      - Checked: \(asked)

      """
    return text + "\nThis page is generated from the rule (`make docs`). [All rules](README.md)\n"
  }

  private static func index(_ pages: [String: RulePage]) -> String {
    var text = """
      # Rules

      `fleetkit validate` checks content against the [schemas](../../formats/schemas/README.md) and against these rules. Every rule has a code that never changes its meaning, a page, and examples that run as tests. `make docs` generates these pages from the rules.

      """
    for layer in RuleLayer.allCases {
      text +=
        layer == .publish
        ? "\n## Publish\n\nThese rules check what the app and the registry require before content is published (`--profile publish`). They cannot be turned off.\n"
        : "\n## Lint\n\nThese rules check for good seamanship and good text. `.fleetkit.yml` can turn them off, change their severity, and set their limits.\n"
      text += "\n| code | name | severity | what is found |\n|---|---|---|---|\n"
      for rule in layer == .publish ? RuleSet.publish : RuleSet.lint {
        let code = rule.code
        text += "| \(code.id) | [\(code.name)](\(code.name).md) | \(code.severity) | \(code.summary) |\n"
      }
    }
    return text
  }
}
