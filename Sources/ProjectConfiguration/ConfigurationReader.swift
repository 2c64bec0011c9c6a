import Diagnostics
import JSONText
import Validation

/// Reads the members of a configuration and collects everything that is wrong with them.
struct ConfigurationReader {
  let catalog: RuleCatalog
  var findings: ConfigurationFindings

  /// - Throws: `ConfigurationError` where the text is no YAML.
  init(_ bytes: [UInt8], file: String, catalog: RuleCatalog) throws(ConfigurationError) {
    findings = try ConfigurationFindings(parsing: bytes, file: file)
    self.catalog = catalog
  }

  /// The members, in the order of the schema.
  private static let members = [
    "version", "source", "select", "ignore", "severity", "exclude", "paths", "limits", "fail_on", "profile", "words",
  ]

  mutating func read(into configuration: inout Configuration) {
    let root = findings.root
    // A file of comments alone says nothing, which is fine.
    if root.isNull { return }
    guard let members = findings.members(root, of: "a configuration", allowed: Self.members) else { return }
    var settings = RuleSelection.Settings()
    var paths: [(glob: PathGlob, settings: RuleSelection.Settings)] = []
    for (name, value) in members {
      switch name {
      case "version": version(value)
      case "source": configuration.source = source(value)
      case "exclude": configuration.exclude = list(value, "patterns").compactMap { glob($0) }
      case "paths": paths = self.paths(value)
      case "limits": limits(value, &configuration.limits)
      case "fail_on": if let failOn: Configuration.FailOn = choice(value) { configuration.failOn = failOn }
      case "profile": if let profile: Configuration.Profile = choice(value) { configuration.profile = profile }
      case "words": configuration.limits.knownWords = Set(list(value, "words").compactMap { text($0, "a word") })
      default: break
      }
    }
    self.settings(members, into: &settings)
    configuration.rules = RuleSelection(settings, paths: paths, scope: configuration.scope)
  }

  // MARK: Members

  private mutating func version(_ value: JSONValue) {
    guard let version = value.integer else { return wrong(value, "'version' must be the number 1") }
    if version != 1 {
      report(
        .configurationWrongValue, "version \(version) is not known; this FleetKit reads version 1", at: value,
        fix: version > 1 ? "use a newer FleetKit, or write version: 1" : "write version: 1")
    }
  }

  private mutating func source(_ value: JSONValue) -> String? {
    guard let source = text(value, "'source'") else { return nil }
    if source.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      wrong(value, "'source' must be one line of text without control characters")
      return nil
    }
    return source
  }

  private mutating func paths(_ value: JSONValue) -> [(glob: PathGlob, settings: RuleSelection.Settings)] {
    guard let members = findings.members(value, of: "'paths'", allowed: nil) else { return [] }
    var paths: [(glob: PathGlob, settings: RuleSelection.Settings)] = []
    for (pattern, value) in members {
      let glob = glob(value, pattern: pattern)
      guard let members = findings.members(value, of: "a path", allowed: ["select", "ignore", "severity"]) else {
        continue
      }
      var settings = RuleSelection.Settings()
      self.settings(members, into: &settings)
      if let glob { paths.append((glob, settings)) }
    }
    return paths
  }

  private mutating func limits(_ value: JSONValue, _ limits: inout RuleLimits) {
    let all: [(name: String, least: Int, limit: WritableKeyPath<RuleLimits, Int>)] = [
      ("glance_characters", 20, \.glanceCharacters), ("checklist_minutes", 1, \.checklistMinutes),
      ("section_steps", 1, \.sectionSteps),
    ]
    guard let members = findings.members(value, of: "'limits'", allowed: all.map(\.name)) else { return }
    for (name, value) in members {
      guard let (_, least, limit) = all.first(where: { $0.name == name }) else { continue }
      guard let number = value.integer, number >= least, number <= 1_000_000 else {
        wrong(value, "'\(name)' must be a whole number from \(least) to 1000000")
        continue
      }
      limits[keyPath: limit] = Int(number)
    }
  }

  // MARK: Values

  mutating func list(_ value: JSONValue, _ what: String) -> [JSONValue] {
    guard value.kind == .array else {
      wrong(value, "this must be a list of \(what), even if there is only one")
      return []
    }
    return value.elements
  }

  mutating func text(_ value: JSONValue, _ what: String) -> String? {
    guard let text = value.string, !text.isEmpty else {
      wrong(
        value,
        "\(what) must be text" + (value.kind == .string ? " that is not empty" : ConfigurationFindings.quotes(value)))
      return nil
    }
    return text
  }

  private mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ value: JSONValue
  ) -> Choice? where Choice.RawValue == String {
    if let choice = value.string.flatMap(Choice.init) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    let meant = findings.suggestion { value.string.flatMap { RuleCatalog.nearest(to: $0, among: words) } }
    wrong(value, "this must be \(ConfigurationFindings.words(words))" + (meant.map { "; did you mean '\($0)'?" } ?? ""))
    return nil
  }

  private mutating func glob(_ value: JSONValue) -> PathGlob? {
    text(value, "a pattern").flatMap { glob(value, pattern: $0, isName: false) }
  }

  /// The glob of a pattern; `value` is the pattern itself, or the member that it is the name of.
  private mutating func glob(_ value: JSONValue, pattern: String, isName: Bool = true) -> PathGlob? {
    do {
      return try PathGlob(pattern)
    } catch {
      report(.configurationBadGlob, "'\(pattern)' is no pattern: \(error.message)", at: value, isName: isName)
      return nil
    }
  }

  // MARK: Findings

  mutating func wrong(_ value: JSONValue, _ message: String) { findings.wrong(value, message) }

  mutating func report(
    _ code: DiagnosticCode, _ message: String, at value: JSONValue, isName: Bool = false, fix: String? = nil
  ) {
    findings.report(code, message, at: value, isName: isName, fix: fix)
  }
}
