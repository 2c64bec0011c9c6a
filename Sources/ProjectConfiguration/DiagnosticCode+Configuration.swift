import Diagnostics

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
