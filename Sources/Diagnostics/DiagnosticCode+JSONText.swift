extension DiagnosticCode {
  /// The text is not JSON.
  public static let notJSON = DiagnosticCode(
    "JSN0001", "not-json", .error, "The text is not JSON.",
    why: "JSON has one strict grammar (RFC 8259); readers that guess disagree about what a text says",
    fix: "correct the text at the place shown")
  /// A member name occurs twice in one object.
  public static let duplicateMember = DiagnosticCode(
    "JSN0002", "duplicate-member", .error, "An object has the same member name twice.",
    why: "readers disagree about which of the two counts, so one of them is lost somewhere",
    fix: "keep one of the two")

  static let jsonText = [notJSON, duplicateMember]
}
