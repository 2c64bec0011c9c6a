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

  /// An item was held against the schema of a document.
  public static let schemaOfAnotherShape = DiagnosticCode(
    "VAL0103", "schema-of-another-shape", .warning, "The schema describes another part of an item.",
    why: "the document of an item is in content_data, and only that is what this schema describes",
    fix: "use --schema library-item for whole items")

  static let validating = [unreadableSource, notYAML, schemaOfAnotherShape]
}
