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
  ///
  /// The first ones only: a thousand findings may be about one list of a million values.
  var choices: [String] = []
  /// How many values are allowed.
  var choiceCount = 0
  /// The value that was looked at.
  var token: Int

  /// About how many bytes it takes.
  var size: Int {
    let texts = message.utf8.count + found.utf8.count + (fix?.utf8.count ?? 0)
    return 256 + texts + choices.count * 80 + pointer.reduce(0) { $0 + $1.size }
  }

  /// The same finding, for callers.
  func violation(_ origin: SchemaOrigin) -> SchemaViolation {
    SchemaViolation(
      keyword: keyword, message: message, found: found, pointer: JSONPointer(pointer), span: span,
      schemaLocation: origin.location(place), reason: origin.description(place), fix: fix,
      otherAlternatives: otherAlternatives)
  }
}

extension SchemaViolation {
  /// About how many bytes it takes when it is printed.
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
