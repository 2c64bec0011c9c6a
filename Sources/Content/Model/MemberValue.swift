import JSONText

/// A Swift type that a member's value can be.
protocol MemberValue: Sendable {
  /// What is expected, in words for an error.
  static var expectation: String { get }

  /// Reads a value that is not null.
  static func read(_ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer) throws(ModelError) -> Self

  /// Appends the value as JSON; false when JSON has no spelling for it.
  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool
}

extension MemberValue {
  static func mismatch(_ pointer: JSONPointer) -> ModelError {
    ModelError(pointer: pointer, expected: expectation)
  }
}

extension String: MemberValue {
  static var expectation: String { "a string" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> String {
    if let string = json.string { return string }
    // Numbered ids are common in hand-made files: the number's text is the id.
    let isID = kind == .identifier || kind == .innerIdentifier || kind == .recordID
    guard isID, json.kind == .number else { throw mismatch(pointer) }
    return json.text
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.appendJSONString(self)
    return true
  }
}

extension Bool: MemberValue {
  static var expectation: String { "true or false" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Bool {
    guard let bool = json.bool else { throw mismatch(pointer) }
    return bool
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(self ? "true" : "false")
    return true
  }
}

extension Int: MemberValue {
  static var expectation: String { "a whole number" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Int {
    guard let integer = json.integer.flatMap(Int.init(exactly:)) else { throw mismatch(pointer) }
    return integer
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(utf8: String(self))
    return true
  }
}

extension Double: MemberValue {
  static var expectation: String { "a number" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Double {
    guard let double = json.double else { throw mismatch(pointer) }
    return double
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    if isNaN { return false }
    // A number beyond the range is how the library's reader says infinity.
    out.append(utf8: isInfinite ? (self < 0 ? "-1e999" : "1e999") : spelling(as: member))
    return true
  }

  /// The columns of a library, null when empty, give `38.0`; the app's encoder writes `38`.
  private func spelling(as member: ShapeMember?) -> String {
    let text = "\(self)"
    return member?.absent != .null && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension Timestamp: MemberValue {
  static var expectation: String { "a date and time" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> Timestamp {
    guard let text = json.string, let (time, quirks) = parse(text), !quirks.contains(.rollsOver) else {
      throw mismatch(pointer)
    }
    return time
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    // Apple's decoder takes no fraction in the time of a tick.
    if member?.kind == .tickTime { out.appendJSONString(wholeSeconds) } else { out.appendJSONDate(self) }
    return true
  }
}

extension [String]: MemberValue {
  static var expectation: String { "an array of strings" }

  static func read(
    _ json: JSONValue, as kind: ValueKind, at pointer: JSONPointer
  ) throws(ModelError) -> [String] {
    guard json.kind == .array else { throw mismatch(pointer) }
    var all: [String] = []
    for (position, element) in json.elements.enumerated() {
      all.append(try String.read(element, as: .text, at: pointer.appending(.element(position))))
    }
    return all
  }

  func write(as member: ShapeMember?, into out: inout ByteBuffer) -> Bool {
    out.append(UInt8(ascii: "["))
    for (position, element) in enumerated() {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(element)
    }
    out.append(UInt8(ascii: "]"))
    return true
  }
}
