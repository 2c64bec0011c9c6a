extension DiagnosticCode {
  /// A source that cannot be read to its end.
  public static let unreadableSource = DiagnosticCode(
    "VAL0101", "unreadable-source", .error, "A source cannot be read to its end.",
    why: "what nobody could read nobody has checked",
    fix: "put the file right, or leave it out")

  /// The text is not YAML.
  public static let notYAML = DiagnosticCode(
    "VAL0102", "not-yaml", .error, "The text is not YAML that means one thing.",
    why: "readers that guess disagree about what a text says",
    fix: "correct the text at the place shown")

  static let validating = [unreadableSource, notYAML]
}
