import ArgumentParser
import FleetKit

/// `fleetkit rules`.
struct RulesVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "List the rules of 'fleetkit validate', or explain a code.",
    discussion: """
      EXAMPLES
        fleetkit rules                  list the publish and lint rules
        fleetkit rules LNT0202          explain a rule, or the code of any finding
        fleetkit rules empty-section    explain a rule, by name
        fleetkit rules LNT06            list a family of rules
      """)

  @Argument(help: ArgumentHelp("Codes, names, or the beginnings of codes.", valueName: "name"))
  var names: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let chosen = try names.isEmpty ? RuleSet.codes : names.flatMap(Self.codes)
    try output.print(RulesReport(chosen, isList: names.isEmpty || chosen.count > 6))
  }

  private static func codes(_ name: String) throws -> [DiagnosticCode] {
    let word = name.uppercased()
    let found = FindingCodes.all.filter { $0.name == name.lowercased() || $0.id.hasPrefix(word) }
    if found.isEmpty {
      let meant = RuleCatalog(FindingCodes.all).suggestion(for: name)
      throw RunFailure(
        .usage, "unknown rule or code '\(name)'",
        advice: meant.map { "Did you mean \($0)?" } ?? "To list the rules, run: fleetkit rules")
    }
    return found.sorted { $0.id < $1.id }
  }

}

/// The report of `rules`: an array.
private struct RulesReport: Report {
  private struct Rule: Encodable {
    let code, name, severity, summary, why, fix: String
    let page: String?

    init(_ code: DiagnosticCode) {
      (self.code, name, severity, page) = (code.id, code.name, code.severity.description, code.helpPath)
      (summary, why, fix) = (code.summary, code.why, code.fix)
    }
  }

  private let rules: [Rule]
  /// Whether each rule is printed on one line.
  private let isList: Bool

  init(_ codes: [DiagnosticCode], isList: Bool) { (rules, self.isList) = (codes.map(Rule.init), isList) }

  func encode(to encoder: any Encoder) throws { try rules.encode(to: encoder) }

  func render(_ output: OutputOptions) {
    guard isList else { return rules.forEach(explain) }
    var table = Table(["code", "name", "severity", "finding"])
    for rule in rules { table.add([rule.code, rule.name, rule.severity, rule.summary]) }
    for line in table.lines(width: Terminal.width) { Terminal.print(line) }
  }

  private func explain(_ rule: Rule) {
    Terminal.print("\(rule.code) \(rule.name) (\(rule.severity))")
    Terminal.print("    \(rule.summary)")
    Terminal.print("    why   \(rule.why)")
    Terminal.print("    fix   \(rule.fix)")
    if let page = rule.page { Terminal.print("    page  \(page)") }
    Terminal.print("")
  }
}
