/// A value inside a tape, seen in place: the unsafe counterpart of `JSONValue`, for loops that are counted in
/// nanoseconds.
///
/// Two addresses and an index, no references, no checks: it is valid only as long as the text and the tape that
/// it was made from neither move nor change. Use it inside the call that lends both; anything that keeps a value
/// longer uses `JSONDocument`.
public struct JSONNode {
  /// The start of the text.
  public let text: UnsafePointer<UInt8>
  /// The start of the tape.
  public let tokens: UnsafePointer<JSONToken>
  /// Index of the value's token.
  public let index: Int

  /// Names the value of a token.
  @inlinable @inline(__always) public init(text: UnsafePointer<UInt8>, tokens: UnsafePointer<JSONToken>, index: Int) {
    self.text = text
    self.tokens = tokens
    self.index = index
  }

  /// The value's token.
  @inlinable @inline(__always) public var token: JSONToken { tokens[index] }
  /// What the value is.
  @inlinable @inline(__always) public var kind: JSONToken.Kind { tokens[index].kind }
  /// Whether the value is null.
  @inlinable @inline(__always) public var isNull: Bool { kind == .null }

  /// The value's bytes as written, quotes and brackets included.
  @inlinable @inline(__always) public var raw: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(token.start), count: Int(token.length))
  }

  /// A string's bytes between its quotes, escapes as written.
  @inlinable @inline(__always) public var inner: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(token.start) + 1, count: max(0, Int(token.length) - 2))
  }

  /// Where the value stands, in bytes from the start of the text.
  @inlinable @inline(__always) public var span: Range<Int> { Int(token.start)..<Int(token.start) + Int(token.length) }

  /// The value at another token of the same tape.
  @inlinable @inline(__always) public func at(_ index: Int) -> JSONNode {
    JSONNode(text: text, tokens: tokens, index: index)
  }

  /// Calls `body` with the token index of every element.
  @inlinable @inline(__always) public func forEachElement<E: Error>(_ body: (JSONNode) throws(E) -> Void) throws(E) {
    guard kind == .array else { return }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      try body(at(child))
      child = Int(tokens[child].next)
    }
  }

  /// Calls `body` with name and value of every member, in source order.
  @inlinable @inline(__always) public func forEachMember<E: Error>(
    _ body: (_ name: JSONNode, _ value: JSONNode) throws(E) -> Void
  ) throws(E) {
    guard kind == .object else { return }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      try body(at(child), at(child + 1))
      child = Int(tokens[child + 1].next)
    }
  }

  /// The value of the first member called `name`, or nil.
  public func member(_ name: StaticString) -> JSONNode? {
    guard kind == .object else { return nil }
    let end = Int(token.next)
    var child = index + 1
    while child < end {
      if at(child).equals(name) { return at(child + 1) }
      child = Int(tokens[child + 1].next)
    }
    return nil
  }

  /// Whether a string says `text`. Compares bytes when there are no escapes.
  @inlinable public func equals(_ text: StaticString) -> Bool {
    if token.flags.contains(.escaped) { return string == "\(text)" }
    let inner = inner
    guard inner.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for index in 0..<inner.count where inner[index] != expected[index] { return false }
      return true
    }
  }

  /// A string's text with escapes resolved, or nil for any other kind.
  public var string: String? {
    guard kind == .string else { return nil }
    guard token.flags.contains(.escaped) else { return String(decoding: inner, as: UTF8.self) }
    var buffer = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner, into: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// True or false; nil for any other kind.
  public var bool: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The text of a number as it was written, or nil for any other kind.
  public var numberText: String? {
    kind == .number ? String(decoding: raw, as: UTF8.self) : nil
  }

  /// A number as floating point; nil for any other kind.
  public var double: Double? { numberText.flatMap(Double.init) }

  /// Whether the number is one of at most 18 digits without fraction: fits in 64 bits, no look needed.
  @inlinable @inline(__always) public var isPlainInteger: Bool {
    kind == .number && token.flags.contains(.integer) && token.length <= 18
  }

  /// A whole number that fits in 64 bits; `7.0` and `7e0` count as 7, `7.5` is none.
  public var integer: Int64? {
    guard let text = numberText else { return nil }
    if token.flags.contains(.integer) { return Int64(text) }
    guard let value = Double(text), value.rounded() == value, abs(value) < 9_007_199_254_740_992 else {
      return nil
    }
    // Floating point rounds 0.1e-400 to 0, which is whole; the number is not.
    let whole = Int64(value)
    var written = String(whole)
    return written.withUTF8({ JSONNumber.equal($0, raw) }) ? whole : nil
  }
}
