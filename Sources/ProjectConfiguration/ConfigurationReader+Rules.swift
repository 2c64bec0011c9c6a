import Diagnostics
import JSONText
import Validation

/// What is said about rules, for all files or for some.
extension ConfigurationReader {
  /// A name that was read, where it stands, and how it is said to count.
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
        // A list that is not one says nothing about which rules are asked.
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
      required(mention, "'\(mention.name)' is always asked; 'select' chooses among the lint rules")
    }
    for mention in ignored where !catalog.isLint(mention.name) {
      let isAll = mention.name.text == "all"
      required(
        mention,
        isAll
          ? "'all' cannot be ignored: what content must be always counts"
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
      "there is no rule '\(ConfigurationFindings.shortened(text))'" + (meant.map { "; did you mean '\($0)'?" } ?? ""),
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
    // Readers of YAML 1.1 take a bare `off` for false; files that were written by them say false.
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

  // MARK: Sense

  /// What must be can count more than it does, never less.
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
          ? "'\(name)' is \(Self.article(lowered.severity)) and cannot count less"
          : "'\(name)' covers \(lowered.id) (\(lowered.name)), which is \(Self.article(lowered.severity)) and cannot count less"
      )
    } else if severity < .error, ["SCH", "PUB", "JSN"].contains(where: name.text.hasPrefix) || name.text == "publish" {
      required(mention, "'\(name)' covers errors, which cannot count less")
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
      if let how = wanted[canonical] { contradiction(mention, "'\(mention.name)' is \(how) and ignored") }
      unwanted[canonical] = "ignored"
    }
    var seen: [String: RuleName] = [:]
    for (mention, weight) in weighed {
      let canonical = catalog.canonical(mention.name)
      if let other = seen.updateValue(mention.name, forKey: canonical) {
        contradiction(mention, "'\(mention.name)' and '\(other)' are the same, and both have a severity")
      } else if weight == .off, wanted[canonical] != nil {
        contradiction(mention, "'\(mention.name)' is selected and turned off")
      } else if weight != .off, unwanted[canonical] != nil {
        contradiction(mention, "'\(mention.name)' is ignored and has a severity")
      }
    }
  }

  private mutating func contradiction(_ mention: Mention, _ message: String) {
    report(.configurationContradiction, message, at: mention.value, isName: mention.isName)
  }
}
