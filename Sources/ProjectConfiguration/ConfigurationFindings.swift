import Diagnostics
import JSONText
import Validation
import YAMLText

/// Collects all mistakes in a YAML configuration, with their places.
package struct ConfigurationFindings {
  private let document: YAMLDocument
  private let file: String
  /// The number of findings that are kept in full. An error prints the first finding and the number of the others.
  private static let most = 100
  /// The number of misspelled words for which a suggestion is computed.
  private static let mostSuggestions = 20

  private var findings: [Diagnostic] = []
  private var count = 0
  private var suggestions = 0

  /// Parses a configuration.
  /// - Parameter file: its name in findings.
  /// - Throws: `ConfigurationError` if the text is not YAML.
  package init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    self.file = file
    do {
      document = try YAMLDocument(parsing: bytes.span)
    } catch {
      let place = Place(file: file, line: error.line, column: error.column)
      throw ConfigurationError([Diagnostic(.configurationNotYAML, error.message, at: place)])
    }
  }

  /// The root of the document.
  package var root: JSONValue { document.json.root }

  /// Whether no mistakes have been found so far.
  package var isEmpty: Bool { findings.isEmpty }

  /// All mistakes, in the file's order.
  package var error: ConfigurationError {
    ConfigurationError(
      findings.sorted { ($0.place.line ?? 0, $0.place.column ?? 0) < ($1.place.line ?? 0, $1.place.column ?? 0) },
      count: count)
  }

  /// Returns the intended spelling of a word, if one is found. Only the first twenty words get a suggestion, because
  /// each one is compared with all known words.
  package mutating func suggestion(_ find: () -> String?) -> String? {
    suggestions += 1
    return suggestions > Self.mostSuggestions ? nil : find()
  }

  /// Reports an invalid value.
  package mutating func wrong(_ value: JSONValue, _ message: String) {
    report(.configurationWrongValue, message, at: value)
  }

  /// Adds a finding about a value, or about its member's name.
  package mutating func report(
    _ code: DiagnosticCode, _ message: String, at value: JSONValue, isName: Bool = false, fix: String? = nil
  ) {
    count += 1
    // Finding a place requires walking through the document.
    guard findings.count < Self.most else { return }
    let position = document.position(of: value, name: isName)
    let pointer = document.json.withNode(document.json.root.tokenIndex) { $0.pointer(to: value.tokenIndex) }
    findings.append(
      Diagnostic(
        code, message,
        at: Place(
          file: file, line: position?.line, column: position?.column, endColumn: position?.endColumn,
          pointer: pointer.description),
        fix: fix))
  }

  /// Returns the members of a mapping. Unknown members are reported and omitted.
  /// - Parameters:
  ///   - what: the mapping's name for messages.
  ///   - allowed: the known names; nil for all.
  /// - Returns: The members; nil if the value is not a mapping, which is also reported.
  package mutating func members(
    _ value: JSONValue, of what: String, allowed: [String]?
  ) -> [(name: String, value: JSONValue)]? {
    guard value.kind == .object else {
      wrong(value, "\(what) must be a mapping of names and values")
      return nil
    }
    guard let allowed else { return value.members }
    return value.members.filter { name, value in
      if allowed.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return true }
      let meant = suggestion {
        allowed.first { ($0 + "s").utf8.elementsEqual(name.utf8) } ?? RuleCatalog.nearest(to: name, among: allowed)
      }
      report(
        .configurationUnknownMember,
        "unknown member '\(Self.shortened(name))'" + (meant.map { "; did you mean '\($0)'?" } ?? ""),
        at: value, isName: true,
        fix: meant.map { "rename it to '\($0)'" } ?? "write one of \(Self.words(allowed)), or remove it")
      return false
    }
  }

  /// Returns a word for a message, truncated after 200 scalars.
  package static func shortened(_ word: String) -> String {
    guard word.utf8.count > 200, word.unicodeScalars.count > 200 else { return word }
    return String(String.UnicodeScalarView(word.unicodeScalars.prefix(200))) + "…"
  }

  /// Returns words as a phrase: `'a', 'b' or 'c'`.
  package static func words(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Returns advice to quote a value that YAML reads as a number or a Boolean but that may be meant as text. Returns an
  /// empty string for other values.
  package static func quotes(_ value: JSONValue) -> String {
    switch value.kind {
    case .number, .true, .false: "; put \(value.text) in quotes"
    default: ""
    }
  }
}

extension DiagnosticCode {
  /// The file cannot be read.
  public static let configurationUnreadable = DiagnosticCode(
    "CFG0101", "configuration-unreadable", .error, "The configuration cannot be read.",
    why: "without it, the content would not be checked by the rules that are configured for its folder",
    fix: "make the configuration a readable file, or name another file with --config")
  /// The file is not YAML.
  public static let configurationNotYAML = DiagnosticCode(
    "CFG0102", "configuration-not-yaml", .error, "The configuration is not YAML.",
    why: "the file has no effect unless all of it can be read",
    fix: "correct the text at the place shown")
  /// An unknown member.
  public static let configurationUnknownMember = DiagnosticCode(
    "CFG0103", "configuration-unknown-member", .error, "The configuration has an unknown member.",
    why: "a misspelled member would silently have no effect", fix: "correct its name, or remove it")
  /// An invalid value.
  public static let configurationWrongValue = DiagnosticCode(
    "CFG0104", "configuration-wrong-value", .error, "The configuration has an invalid value.",
    why: "a default would silently replace it", fix: "write a value that the member allows, or remove the line")
  /// An unknown rule.
  public static let configurationUnknownRule = DiagnosticCode(
    "CFG0105", "configuration-unknown-rule", .error, "The configuration names an unknown rule.",
    why: "the setting would silently have no effect",
    fix: "correct the name; every rule has a page in the documentation")
  /// An invalid path pattern.
  public static let configurationBadGlob = DiagnosticCode(
    "CFG0106", "configuration-bad-glob", .error, "The configuration has an invalid path pattern.",
    why: "the pattern would match no path", fix: "correct the pattern")
  /// Contradictory settings.
  public static let configurationContradiction = DiagnosticCode(
    "CFG0107", "configuration-contradiction", .error, "The configuration has contradictory settings for one rule.",
    why: "only one of them can apply, and it is not clear which is meant", fix: "keep one of the settings")
  /// A required rule is turned off or lowered.
  public static let configurationRequiredRule = DiagnosticCode(
    "CFG0108", "configuration-required-rule", .error, "The configuration turns off or lowers a required rule.",
    why:
      "content that cannot be read or published remains so regardless of the configuration; only lint rules are advice",
    fix: "correct the content instead, or exclude the file")
  /// A configuration file with a name that is not read.
  public static let configurationOtherName = DiagnosticCode(
    "CFG0109", "configuration-other-name", .error, "A configuration file has a name that FleetKit does not read.",
    why: "the content would not be checked by the rules that are configured for its folder",
    fix: "rename the file to .fleetkit.yml")

  /// The codes of findings about configurations.
  public static let configuration = [
    configurationUnreadable, configurationNotYAML, configurationUnknownMember, configurationWrongValue,
    configurationUnknownRule, configurationBadGlob, configurationContradiction, configurationRequiredRule,
    configurationOtherName,
  ]
}
