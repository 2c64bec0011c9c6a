import JSONText

/// A violation while reports are still compared with each other.
struct Finding {
  var keyword: String
  var message: String
  var found: String
  var pointer: [JSONPointer.Step]
  var span: Range<Int>
  var place: UInt32
  var fix: String?
  var otherAlternatives = 0
  /// For `const` and `enum`: the values that are allowed, as JSON.
  var choices: [String] = []
  /// The value that was looked at.
  var token: Int

  /// The same finding, for callers.
  func violation(_ origin: SchemaOrigin) -> SchemaViolation {
    SchemaViolation(
      keyword: keyword, message: message, found: found, pointer: JSONPointer(pointer), span: span,
      schemaLocation: origin.location(place), reason: origin.description(place), fix: fix,
      otherAlternatives: otherAlternatives)
  }
}
