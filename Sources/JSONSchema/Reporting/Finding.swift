import JSONText

/// A violation during reporting, while findings are still compared with each other.
struct Finding {
  var keyword: String
  var message: String
  var found: String
  var pointer: [JSONPointer.Step]
  var span: Range<Int>
  var place: UInt32
  var fix: String?
  var otherAlternatives = 0
  /// The allowed values for `const` and `enum`, as JSON.
  ///
  /// Only the first values are stored, because a thousand findings may be about one list of a million values.
  var choices: [String] = []
  /// The number of allowed values.
  var choiceCount = 0
  /// The token of the value that was checked.
  var token: Int

  /// The approximate size in bytes.
  var size: Int {
    let texts = message.utf8.count + found.utf8.count + (fix?.utf8.count ?? 0)
    return 256 + texts + choices.count * 80 + pointer.reduce(0) { $0 + $1.size }
  }

  /// Returns the finding as a violation for callers.
  func violation(_ origin: SchemaOrigin) -> SchemaViolation {
    SchemaViolation(
      keyword: keyword, message: message, found: found, pointer: JSONPointer(pointer), span: span,
      schemaLocation: origin.location(place), reason: origin.description(place), fix: fix,
      otherAlternatives: otherAlternatives)
  }
}

extension SchemaViolation {
  /// The approximate size in bytes when printed.
  var size: Int {
    let texts = [message, found, schemaLocation, reason ?? "", fix ?? ""].reduce(0) { $0 + $1.utf8.count }
    return 256 + texts + pointer.steps.reduce(0) { $0 + $1.size }
  }
}

extension JSONPointer.Step {
  fileprivate var size: Int {
    switch self {
    case .member(let name): 32 + name.utf8.count
    case .element: 32
    }
  }
}
