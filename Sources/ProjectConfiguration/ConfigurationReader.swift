import Diagnostics
import JSONText
import Validation

/// Reads the members of a configuration and collects all mistakes.
struct ConfigurationReader {
  let catalog: RuleCatalog
  var findings: ConfigurationFindings

  /// - Throws: `ConfigurationError` if the text is not YAML.
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
    // A file may contain only comments.
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
        .configurationWrongValue, "unsupported version \(version); this FleetKit reads version 1", at: value,
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
      wrong(value, "the value must be a list of \(what), even if there is only one")
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
    wrong(
      value,
      "the value must be \(ConfigurationFindings.words(words))" + (meant.map { "; did you mean '\($0)'?" } ?? ""))
    return nil
  }

  private mutating func glob(_ value: JSONValue) -> PathGlob? {
    text(value, "a pattern").flatMap { glob(value, pattern: $0, isName: false) }
  }

  /// Parses a pattern. `value` is the pattern itself, or the value of the member whose name is the pattern.
  private mutating func glob(_ value: JSONValue, pattern: String, isName: Bool = true) -> PathGlob? {
    do {
      return try PathGlob(pattern)
    } catch {
      report(.configurationBadGlob, "'\(pattern)' is not a valid pattern: \(error.message)", at: value, isName: isName)
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

/// Reads rule settings, for all files or for some.
extension ConfigurationReader {
  /// A rule's name, with its place and setting.
  private struct Mention {
    let name: RuleName
    let value: JSONValue
    let isName: Bool
  }

  mutating func settings(
    _ members: [(name: String, value: JSONValue)], into settings: inout RuleSelection.Settings
  ) {
    var selected: [Mention] = []
    var ignored: [Mention] = []
    var weighed: [(mention: Mention, weight: RuleSelection.Weight)] = []
    for (name, value) in members {
      switch name {
      case "select":
        selected = names(value)
        // A value that is not a list selects no rules.
        if value.kind == .array { settings.select = selected.map(\.name) }
      case "ignore":
        ignored = names(value)
        settings.ignore = ignored.map(\.name)
      case "severity":
        weighed = weights(value)
        for (mention, weight) in weighed { settings.severity[mention.name] = weight }
      default: break
      }
    }
    for mention in selected where !catalog.isLint(mention.name) && !RuleName.groups.contains(mention.name.text) {
      required(mention, "'\(mention.name)' is always checked; 'select' chooses among the lint rules")
    }
    for mention in ignored where !catalog.isLint(mention.name) {
      let isAll = mention.name.text == "all"
      required(
        mention,
        isAll
          ? "'all' cannot be ignored: the required rules always apply"
          : "'\(mention.name)' cannot be ignored: only lint rules can",
        fix: isAll ? "ignore 'lint'" : nil)
    }
    for (mention, weight) in weighed { check(mention, weight) }
    contradictions(selected, ignored, weighed)
  }

  // MARK: Reading

  private mutating func names(_ value: JSONValue) -> [Mention] {
    list(value, "rules").compactMap { element in
      text(element, "a rule's name").flatMap { name($0, at: element, isName: false) }
    }
  }

  private mutating func name(_ text: String, at value: JSONValue, isName: Bool) -> Mention? {
    let name = RuleName(text)
    if catalog.knows(name) { return Mention(name: name, value: value, isName: isName) }
    let catalog = catalog
    let meant = findings.suggestion { catalog.suggestion(for: text) }
    report(
      .configurationUnknownRule,
      "unknown rule '\(ConfigurationFindings.shortened(text))'" + (meant.map { "; did you mean '\($0)'?" } ?? ""),
      at: value, isName: isName, fix: meant.map { "write '\($0)'" })
    return nil
  }

  private mutating func weights(_ value: JSONValue) -> [(mention: Mention, weight: RuleSelection.Weight)] {
    guard let members = findings.members(value, of: "'severity'", allowed: nil) else { return [] }
    var weights: [(mention: Mention, weight: RuleSelection.Weight)] = []
    for (text, value) in members {
      let mention = name(text, at: value, isName: true)
      let weight = weight(value)
      if let mention, let weight { weights.append((mention, weight)) }
    }
    return weights
  }

  private mutating func weight(_ value: JSONValue) -> RuleSelection.Weight? {
    // YAML 1.1 reads a bare `off` as false, and YAML 1.1 writers write it as false.
    if value.bool == false { return .off }
    switch value.string {
    case "off": return .off
    case "note": return .at(.note)
    case "warning": return .at(.warning)
    case "error": return .at(.error)
    default:
      wrong(value, "a severity must be \(ConfigurationFindings.words(["error", "warning", "note", "off"]))")
      return nil
    }
  }

  // MARK: Consistency

  /// Checks that the severity of a required rule is never lowered.
  private mutating func check(_ mention: Mention, _ weight: RuleSelection.Weight) {
    let name = mention.name
    if weight == .off {
      guard !catalog.isLint(name) else { return }
      let isAll = name.text == "all"
      return required(
        mention, "'\(name)' cannot be turned off: only lint rules can", fix: isAll ? "turn off 'lint'" : nil)
    }
    guard case .at(let severity) = weight else { return }
    let lowered = catalog.codes(name).first { !$0.isLint && $0.severity > severity }
    if let lowered {
      required(
        mention,
        lowered.id == name.text || lowered.name == name.text
          ? "'\(name)' is \(Self.article(lowered.severity)) and cannot be lowered"
          : "'\(name)' covers \(lowered.id) (\(lowered.name)), which is \(Self.article(lowered.severity)) and cannot "
            + "be lowered"
      )
    } else if severity < .error, ["SCH", "PUB", "JSN"].contains(where: name.text.hasPrefix) || name.text == "publish" {
      required(mention, "'\(name)' covers errors, which cannot be lowered")
    }
  }

  private static func article(_ severity: Severity) -> String { severity == .error ? "an error" : "a \(severity)" }

  private mutating func required(_ mention: Mention, _ message: String, fix: String? = nil) {
    report(.configurationRequiredRule, message, at: mention.value, isName: mention.isName, fix: fix)
  }

  private mutating func contradictions(
    _ selected: [Mention], _ ignored: [Mention], _ weighed: [(mention: Mention, weight: RuleSelection.Weight)]
  ) {
    var wanted: [String: String] = [:]
    var unwanted: [String: String] = [:]
    for mention in selected { wanted[catalog.canonical(mention.name)] = "selected" }
    for mention in ignored {
      let canonical = catalog.canonical(mention.name)
      if let how = wanted[canonical] { contradiction(mention, "'\(mention.name)' is both \(how) and ignored") }
      unwanted[canonical] = "ignored"
    }
    var seen: [String: RuleName] = [:]
    for (mention, weight) in weighed {
      let canonical = catalog.canonical(mention.name)
      if let other = seen.updateValue(mention.name, forKey: canonical) {
        contradiction(mention, "'\(mention.name)' and '\(other)' are one rule, and both are listed under 'severity'")
      } else if weight == .off, wanted[canonical] != nil {
        contradiction(mention, "'\(mention.name)' is listed under 'select' and turned off under 'severity'")
      } else if weight != .off, unwanted[canonical] != nil {
        contradiction(mention, "'\(mention.name)' is listed under both 'ignore' and 'severity'")
      }
    }
  }

  private mutating func contradiction(_ mention: Mention, _ message: String) {
    report(.configurationContradiction, message, at: mention.value, isName: mention.isName)
  }
}
