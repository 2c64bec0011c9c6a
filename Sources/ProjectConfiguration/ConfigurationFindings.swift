import Diagnostics
import JSONText
import Validation
import YAMLText

/// Collects everything that is wrong with a configuration in YAML, each with its place.
package struct ConfigurationFindings {
  private let document: YAMLDocument
  private let file: String
  /// How many findings are kept in full. An error prints the first and counts the others.
  private static let most = 100
  /// How many misspelled words get a suggestion.
  private static let mostSuggestions = 20

  private var findings: [Diagnostic] = []
  private var count = 0
  private var suggestions = 0

  /// Parses a configuration.
  /// - Parameter file: its name in findings.
  /// - Throws: `ConfigurationError` where it is no YAML.
  package init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    self.file = file
    do {
      document = try bytes.withUnsafeBufferPointer { (bytes) throws(YAMLError) in try YAMLDocument(parsing: bytes) }
    } catch {
      let place = Place(file: file, line: error.line, column: error.column)
      throw ConfigurationError([Diagnostic(.configurationNotYAML, error.message, at: place)])
    }
  }

  /// The whole of it.
  package var root: JSONValue { document.json.root }

  /// Whether nothing is wrong so far.
  package var isEmpty: Bool { findings.isEmpty }

  /// All that is wrong, in the order of the file.
  package var error: ConfigurationError {
    ConfigurationError(
      findings.sorted { ($0.place.line ?? 0, $0.place.column ?? 0) < ($1.place.line ?? 0, $1.place.column ?? 0) },
      count: count)
  }

  /// Looks for the word that a misspelled one was meant to be, for the first twenty words only: each is compared with
  /// every word that is known.
  package mutating func suggestion(_ find: () -> String?) -> String? {
    suggestions += 1
    return suggestions > Self.mostSuggestions ? nil : find()
  }

  /// Adds that a value is none that can stand there.
  package mutating func wrong(_ value: JSONValue, _ message: String) {
    report(.configurationWrongValue, message, at: value)
  }

  /// Adds a finding about a value, or about the name of the member that it is the value of.
  package mutating func report(
    _ code: DiagnosticCode, _ message: String, at value: JSONValue, isName: Bool = false, fix: String? = nil
  ) {
    count += 1
    // A place costs a walk through the document.
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

  /// The members of a mapping; those that nobody knows are reported and left out.
  /// - Parameters:
  ///   - what: what the mapping is, for messages.
  ///   - allowed: the names that are known; nil for all.
  /// - Returns: nil for what is no mapping, which is reported as well.
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
        "nobody knows '\(Self.shortened(name))'" + (meant.map { "; did you mean '\($0)'?" } ?? ""),
        at: value, isName: true,
        fix: meant.map { "call it '\($0)'" } ?? "write one of \(Self.words(allowed)), or remove it")
      return false
    }
  }

  /// A word of the file for a message; a long one is cut after 200 scalars.
  package static func shortened(_ word: String) -> String {
    guard word.utf8.count > 200, word.unicodeScalars.count > 200 else { return word }
    return String(String.UnicodeScalarView(word.unicodeScalars.prefix(200))) + "…"
  }

  /// `'a', 'b' or 'c'`.
  package static func words(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// What to do about a value that YAML takes for a number or a truth value and that may be meant as text; else nothing.
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
    why: "without it, content would be checked by other rules than its folder asks for",
    fix: "make it a readable file, or name another one with --config")
  /// The file is not YAML.
  public static let configurationNotYAML = DiagnosticCode(
    "CFG0102", "configuration-not-yaml", .error, "The configuration is not YAML.",
    why: "nothing in the file counts as long as it cannot be read as a whole",
    fix: "correct the text at the place shown")
  /// A member that nobody knows.
  public static let configurationUnknownMember = DiagnosticCode(
    "CFG0103", "configuration-unknown-member", .error, "The configuration has a member that nobody knows.",
    why: "what a misspelled member asks for would silently not happen", fix: "correct its name, or remove it")
  /// A value that cannot be.
  public static let configurationWrongValue = DiagnosticCode(
    "CFG0104", "configuration-wrong-value", .error, "A value of the configuration cannot be what it is.",
    why: "a default would silently take its place", fix: "write a value that the member takes, or remove the line")
  /// A rule that nobody knows.
  public static let configurationUnknownRule = DiagnosticCode(
    "CFG0105", "configuration-unknown-rule", .error, "The configuration names a rule that there is not.",
    why: "the rule that is meant would count as if nothing was said about it",
    fix: "correct the name; every rule has a page in the documentation")
  /// A pattern that cannot be.
  public static let configurationBadGlob = DiagnosticCode(
    "CFG0106", "configuration-bad-glob", .error, "A pattern of paths in the configuration is none.",
    why: "it would match nothing", fix: "correct the pattern")
  /// Two things that exclude each other.
  public static let configurationContradiction = DiagnosticCode(
    "CFG0107", "configuration-contradiction", .error, "The configuration says two things about one rule.",
    why: "only one of them can count, and nobody can tell which is meant", fix: "keep one of the two")
  /// A rule that always counts is to be turned down.
  public static let configurationRequiredRule = DiagnosticCode(
    "CFG0108", "configuration-required-rule", .error, "The configuration turns down a rule that always counts.",
    why: "what cannot be read or published stays so whatever the configuration says; only lint is advice",
    fix: "correct the content instead, or exclude the file")
  /// A file that nobody reads.
  public static let configurationOtherName = DiagnosticCode(
    "CFG0109", "configuration-other-name", .error, "A configuration has a name that is not read.",
    why: "content would be checked by other rules than its folder asks for", fix: "call it .fleetkit.yml")

  /// The codes of findings about configurations.
  public static let configuration = [
    configurationUnreadable, configurationNotYAML, configurationUnknownMember, configurationWrongValue,
    configurationUnknownRule, configurationBadGlob, configurationContradiction, configurationRequiredRule,
    configurationOtherName,
  ]
}
