import ArgumentParser
import FleetKit

/// `fleetkit rules`.
struct RulesVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "List what 'fleetkit validate' and the readers find, or explain one code.",
    discussion: """
      EXAMPLES
        fleetkit rules                  every publish and lint rule
        fleetkit rules LNT0202          one of them, or any code of a finding
        fleetkit rules empty-section    the same by its name
        fleetkit rules LNT06            a family
      """)

  @Argument(help: ArgumentHelp("Codes, names, or what codes begin with.", valueName: "name"))
  var names: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    let chosen = try names.isEmpty ? RuleSet.codes : names.flatMap(Self.codes)
    if output.json {
      var json = JSONBuilder()
      json.array { json in for code in chosen { write(code, to: &json) } }
      return Terminal.print(json.result)
    }
    guard names.isEmpty || chosen.count > 6 else { return chosen.forEach(explain) }
    var table = Table(["code", "name", "severity", "what is found"])
    for code in chosen { table.add([code.id, code.name, code.severity.description, code.summary]) }
    for line in table.lines(width: Terminal.width) { Terminal.print(line) }
  }

  private static func codes(_ name: String) throws -> [DiagnosticCode] {
    let word = name.uppercased()
    let found = FindingCodes.all.filter { $0.name == name.lowercased() || $0.id.hasPrefix(word) }
    if found.isEmpty {
      let meant = RuleCatalog(FindingCodes.all).suggestion(for: name)
      throw RunFailure(
        .usage, "there is no rule or code '\(name)'",
        advice: meant.map { "Did you mean \($0)?" } ?? "'fleetkit rules' lists the rules.")
    }
    return found.sorted { $0.id < $1.id }
  }

  private func explain(_ code: DiagnosticCode) {
    Terminal.print("\(code.id) \(code.name) (\(code.severity))")
    Terminal.print("    \(code.summary)")
    Terminal.print("    why   \(code.why)")
    Terminal.print("    fix   \(code.fix)")
    if let page = code.helpPath { Terminal.print("    page  \(page)") }
    Terminal.print("")
  }

  private func write(_ code: DiagnosticCode, to json: inout JSONBuilder) {
    json.object { json in
      json.string("code", code.id)
      json.string("name", code.name)
      json.string("severity", code.severity.description)
      json.string("summary", code.summary)
      json.string("why", code.why)
      json.string("fix", code.fix)
      json.string("page", code.helpPath)
    }
  }
}
