/// A value or member name in a JSON text: its position and its kind.
///
/// A token has 16 bytes and no references. A tape lists tokens in document order. A member has two tokens: its name,
/// then its value.
public struct JSONToken: Sendable {
  /// The kind of a token.
  public enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object
  }

  /// Properties of a token that the parser found, so that callers need not check them again.
  public struct Flags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Creates a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The string has a backslash escape.
    public static let escaped = Flags(rawValue: 1)
    /// The string has bytes above 0x7F.
    public static let nonASCII = Flags(rawValue: 2)
    /// An escape is not the one that `ByteBuffer.appendJSONString` would write.
    public static let unusualEscape = Flags(rawValue: 4)
    /// The number has no fraction and no exponent.
    public static let integer = Flags(rawValue: 8)
    /// The string is a member name.
    public static let name = Flags(rawValue: 16)
  }

  /// The offset of the first byte (a string's opening quote) from the start of the text.
  public var start: UInt32
  /// The length in bytes, including quotes and brackets.
  public var length: UInt32
  /// The index of the first token after this value and everything inside it.
  public var next: UInt32
  /// The kind of the token.
  public var kind: Kind
  /// The properties that the parser found.
  public var flags: Flags
  /// The number of elements or members of a container, counted up to 65 535.
  public var count: UInt16

  @inlinable init(start: Int, length: Int, next: Int, kind: Kind, flags: Flags = [], count: UInt16 = 0) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
    self.next = UInt32(truncatingIfNeeded: next)
    self.kind = kind
    self.flags = flags
    self.count = count
  }
}

/// The tokens of one or many JSON texts in one region of memory.
///
/// Parsing appends tokens. Offsets count from the start of the memory region, so that many lines of a bundle can share
/// one tape without allocating or copying a value.
public struct JSONTape: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutablePointer<JSONToken>
  @usableFromInline var used = 0
  /// The number of tokens that fit before the tape must grow.
  public internal(set) var capacity: Int

  /// Creates an empty tape with room for `capacity` tokens.
  public init(capacity: Int = 256) {
    self.capacity = max(16, capacity)
    storage = .allocate(capacity: self.capacity)
  }

  deinit { storage.deallocate() }

  /// The number of tokens in the tape.
  @inlinable @inline(__always) public var count: Int { used }

  /// The tokens, in place. They are valid until the next parse.
  @inlinable @inline(__always) public var tokens: UnsafePointer<JSONToken> { UnsafePointer(storage) }

  /// The token at `index`.
  @inlinable public subscript(index: Int) -> JSONToken {
    precondition(index >= 0 && index < used, "token index out of range")
    return storage[index]
  }

  /// Removes all tokens and keeps the memory.
  @inlinable public mutating func removeAll() { used = 0 }

  /// Removes all tokens from `index` to the end.
  @inlinable public mutating func truncate(to index: Int) {
    if index < used { used = max(0, index) }
  }

  @inlinable @inline(__always) mutating func append(_ token: JSONToken) {
    if used == capacity { grow() }
    storage[used] = token
    used += 1
  }

  @usableFromInline mutating func grow() {
    let larger = capacity * 2
    let moved = UnsafeMutablePointer<JSONToken>.allocate(capacity: larger)
    moved.update(from: storage, count: used)
    storage.deallocate()
    storage = moved
    capacity = larger
  }
}

/// Properties of a whole text, which the parser found while it built the tokens.
public struct JSONTextTraits: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// Creates a set of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The text has white space between tokens.
  public static let spaced = JSONTextTraits(rawValue: 1)
  /// A string has an escape that the writer would not write.
  public static let unusualEscapes = JSONTextTraits(rawValue: 2)
}

/// The result of one parse.
public struct JSONParse: Sendable {
  /// The index of the token of the outermost value.
  public let root: Int
  /// The offset of the first byte after the value.
  public let end: Int
  /// The traits that the parser found.
  public let traits: JSONTextTraits
}

extension JSONTape {
  /// Parses the value in `text[range]` strictly according to RFC 8259 and appends its tokens.
  ///
  /// White space around the value and one byte order mark before it are allowed; anything else after it is an error.
  /// Only the tape allocates memory. After an error, the tape is unchanged.
  /// - Parameter range: the part of `text` that contains exactly one value; token offsets count from the start of
  ///   `text`.
  /// - Returns: The outermost token and the traits of the text.
  /// - Throws: `JSONError` with the offset of the first invalid byte.
  /// - Source: RFC 8259; duplicate names are accepted here and found by `JSONNode.duplicateName`.
  public mutating func parse(
    _ text: Span<UInt8>, in range: Range<Int>? = nil
  ) throws(JSONError) -> JSONParse {
    let range = range ?? 0..<text.count
    let before = used
    guard text.count <= JSONLimits.textLength else { throw JSONError(.tooLong, at: 0) }
    guard !text.isEmpty, !range.isEmpty else { throw JSONError(.empty, at: range.lowerBound) }
    var scanner = JSONScanner(at: range.lowerBound)
    do {
      return try scanner.parse(text.extracting(..<range.upperBound), into: &self)
    } catch {
      truncate(to: before)
      throw error
    }
  }
}

/// The limits of a JSON text.
public enum JSONLimits {
  /// The largest nesting depth. The parser rejects deeper texts and reports the position.
  public static let depth = 512
  /// The largest number of consecutive combining marks in a string that are not in canonical order.
  ///
  /// Comparing, hashing or composing a string requires sorting each run of marks, which takes time quadratic in the
  /// run's length.
  /// Unicode's Stream-Safe Text Format allows 30, but some scripts and many jokes use more.
  /// - Source: UAX #15, section 13.
  public static let combiningMarks = 256
  /// The length of the longest text that one tape can address, in bytes (offsets are 32 bits wide).
  public static let textLength = Int(UInt32.max) - 16
}

/// Turns bytes into tokens.
///
/// The scanner reads the text once, without recursion, and eight bytes at a time inside strings. It accepts only RFC
/// 8259. Each access to the text follows a comparison with its length, so it is not checked again.
struct JSONScanner {
  private var at: Int
  private var traits: JSONTextTraits = []

  init(at start: Int) { at = start }

  mutating func parse(_ text: Span<UInt8>, into tape: inout JSONTape) throws(JSONError) -> JSONParse {
    let first = at
    if text.count - at >= 3, text[unchecked: at] == 0xEF, text[unchecked: at + 1] == 0xBB,
      text[unchecked: at + 2] == 0xBF
    {
      at += 3
    }
    skipOuterSpace(text)
    guard at < text.count else { throw JSONError(.empty, at: first) }
    let root = tape.count
    try parseValue(text, into: &tape)
    let valueEnd = at
    skipOuterSpace(text)
    guard at == text.count else { throw JSONError(.textAfterValue, at: at) }
    return JSONParse(root: root, end: valueEnd, traits: traits)
  }

  /// Parses one value and everything inside it.
  ///
  /// While a container is open, the `next` of its token holds the index of the container around it, so that no stack
  /// has to be allocated.
  private mutating func parseValue(_ text: Span<UInt8>, into tape: inout JSONTape) throws(JSONError) {
    var depth = 0
    var container = 0
    var inObject = false
    value: while true {
      try skipSpace(text)
      let start = at
      switch text[unchecked: at] {
      case UInt8(ascii: "\""):
        let flags = try scanString(text)
        tape.append(
          JSONToken(start: start, length: at - start, next: tape.count + 1, kind: .string, flags: flags))
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < JSONLimits.depth else { throw JSONError(.tooDeep(limit: JSONLimits.depth), at: at) }
        inObject = text[unchecked: at] == UInt8(ascii: "{")
        depth += 1
        tape.append(JSONToken(start: start, length: 0, next: container, kind: inObject ? .object : .array))
        container = tape.count - 1
        at += 1
        try skipSpace(text)
        if text[unchecked: at] == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          // The code below closes an empty container like any other.
        } else if inObject {
          try scanName(text, into: &tape)
          continue value
        } else {
          continue value
        }
      case UInt8(ascii: "t"):
        try scanWord(text, "true")
        tape.append(JSONToken(start: start, length: 4, next: tape.count + 1, kind: .true))
      case UInt8(ascii: "f"):
        try scanWord(text, "false")
        tape.append(JSONToken(start: start, length: 5, next: tape.count + 1, kind: .false))
      case UInt8(ascii: "n"):
        try scanWord(text, "null")
        tape.append(JSONToken(start: start, length: 4, next: tape.count + 1, kind: .null))
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let flags = try scanNumber(text)
        tape.append(
          JSONToken(start: start, length: at - start, next: tape.count + 1, kind: .number, flags: flags))
      default:
        throw JSONError(.unexpectedByte(text[unchecked: at], expected: "a value"), at: at)
      }
      // A value is complete: count it in its container, then close the containers that end here.
      while depth > 0 {
        let isEmptyClose = tape.count == container + 1
        if !isEmptyClose, tape.storage[container].count < .max { tape.storage[container].count += 1 }
        try skipSpace(text)
        let byte = text[unchecked: at]
        if !isEmptyClose, byte == UInt8(ascii: ",") {
          at += 1
          if inObject {
            try skipSpace(text)
            try scanName(text, into: &tape)
          }
          continue value
        }
        guard byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw JSONError(
            .unexpectedByte(byte, expected: inObject ? "',' or '}'" : "',' or ']'"), at: at)
        }
        at += 1
        let outer = Int(tape.storage[container].next)
        tape.storage[container].length = UInt32(truncatingIfNeeded: at - Int(tape.storage[container].start))
        tape.storage[container].next = UInt32(truncatingIfNeeded: tape.count)
        depth -= 1
        container = outer
        inObject = depth > 0 && tape.storage[container].kind == .object
      }
      return
    }
  }

  // MARK: Pieces

  private mutating func scanName(_ text: Span<UInt8>, into tape: inout JSONTape) throws(JSONError) {
    guard text[unchecked: at] == UInt8(ascii: "\"") else {
      throw JSONError(.unexpectedByte(text[unchecked: at], expected: "a member name in quotes"), at: at)
    }
    let start = at
    let flags = try scanString(text)
    tape.append(
      JSONToken(
        start: start, length: at - start, next: tape.count + 1, kind: .string, flags: flags.union(.name)))
    try skipSpace(text)
    guard text[unchecked: at] == UInt8(ascii: ":") else {
      throw JSONError(.unexpectedByte(text[unchecked: at], expected: "':'"), at: at)
    }
    at += 1
  }

  /// Moves past white space. Throws if no byte follows.
  @inline(__always)
  private mutating func skipSpace(_ text: Span<UInt8>) throws(JSONError) {
    if at < text.count, text[unchecked: at] > 0x20 { return }
    try skipSpaceSlowly(text)
  }

  private mutating func skipSpaceSlowly(_ text: Span<UInt8>) throws(JSONError) {
    while at < text.count, Self.isSpace(text[unchecked: at]) {
      at += 1
      traits.insert(.spaced)
    }
    if at >= text.count { throw JSONError(.unexpectedEnd, at: text.count) }
  }

  private mutating func skipOuterSpace(_ text: Span<UInt8>) {
    while at < text.count, Self.isSpace(text[unchecked: at]) { at += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private mutating func scanWord(_ text: Span<UInt8>, _ word: StaticString) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    for index in 0..<length {
      guard at + index < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
      guard text[unchecked: at + index] == word.utf8Start[index] else {
        throw JSONError(.unexpectedByte(text[unchecked: at + index], expected: "'\(word)'"), at: at + index)
      }
    }
    at += length
  }

  private mutating func scanNumber(_ text: Span<UInt8>) throws(JSONError) -> JSONToken.Flags {
    var flags: JSONToken.Flags = .integer
    if text[unchecked: at] == UInt8(ascii: "-") { at += 1 }
    let first = at
    try digits(text, "a digit must follow '-'")
    if text[unchecked: first] == UInt8(ascii: "0"), at - first > 1 {
      throw JSONError(.invalidNumber("a leading zero"), at: first)
    }
    if at < text.count, text[unchecked: at] == UInt8(ascii: ".") {
      at += 1
      flags = []
      try digits(text, "a digit must follow '.'")
    }
    if at < text.count, text[unchecked: at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      flags = []
      if at < text.count, text[unchecked: at] == UInt8(ascii: "+") || text[unchecked: at] == UInt8(ascii: "-") {
        at += 1
      }
      try digits(text, "the exponent has no digits")
    }
    return flags
  }

  @inline(__always)
  private mutating func digits(_ text: Span<UInt8>, _ complaint: String) throws(JSONError) {
    let first = at
    while at < text.count, text[unchecked: at] &- 0x30 < 10 { at += 1 }
    if at == first {
      if at == text.count { throw JSONError(.unexpectedEnd, at: text.count) }
      throw JSONError(.invalidNumber(complaint), at: at)
    }
  }

  /// Moves past the string whose opening quote is at `at`.
  @inline(__always)
  private mutating func scanString(_ text: Span<UInt8>) throws(JSONError) -> JSONToken.Flags {
    at += 1
    let start = at
    var flags: JSONToken.Flags = []
    while true {
      // Eight bytes at a time are read while none of them is a quote, a backslash, a control character or non-ASCII.
      while at + 8 <= text.count {
        let special = Self.special(
          text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self).littleEndian)
        if special == 0 {
          at += 8
        } else {
          at += special.trailingZeroBitCount >> 3
          break
        }
      }
      guard at < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
      let byte = text[unchecked: at]
      if byte == UInt8(ascii: "\"") {
        if !flags.isEmpty, let found = MarkRuns.tooLong(text.extracting(start..<at)) {
          throw JSONError(.tooManyMarks(limit: JSONLimits.combiningMarks), at: start + found)
        }
        at += 1
        return flags
      }
      if byte >= 0x80 {
        flags.insert(.nonASCII)
        at = try Self.skipUTF8(text, at)
      } else if byte == UInt8(ascii: "\\") {
        flags.insert(.escaped)
        if try scanEscape(text) {
          flags.insert(.unusualEscape)
          traits.insert(.unusualEscapes)
        }
      } else if byte < 0x20 {
        throw JSONError(.controlCharacter(byte), at: at)
      } else {
        at += 1
      }
    }
  }

  /// Returns a word with the high bit set in every byte that is `"`, `\`, below 0x20 or above 0x7F. The result is exact
  /// up to the lowest such byte.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let slash = word ^ (ones &* 0x5C)
    let found = ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- (ones &* 0x20)) & ~word)
    return (found | word) & highs
  }

  /// Returns a word with the high bit set in every byte that is `"`, `\` or below 0x20. The result is exact up to the
  /// lowest such byte.
  @inline(__always)
  static func needsEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let slash = word ^ (ones &* 0x5C)
    return (((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- (ones &* 0x20)) & ~word)) & highs
  }

  /// Moves past a run of non-ASCII characters and checks each one (no overlong forms, no surrogates, nothing above
  /// U+10FFFF).
  private static func skipUTF8(_ text: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
    var at = start
    while at < text.count, text[unchecked: at] >= 0x80 {
      let length = UTF8Check.sequenceLength(in: text, at: at)
      if length == 0 { throw JSONError(.invalidUTF8, at: at) }
      at += length
    }
    return at
  }

  /// Moves past one escape. Returns true if the writer would have written it differently.
  private mutating func scanEscape(_ text: Span<UInt8>) throws(JSONError) -> Bool {
    let start = at
    guard at + 1 < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
    switch text[unchecked: at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 2
      return false
    case UInt8(ascii: "/"):
      at += 2
      return true
    case UInt8(ascii: "u"):
      let unit = try hexUnit(text, at: start)
      at += 6
      if unit < 0x20 {
        let named = unit == 8 || unit == 9 || unit == 10 || unit == 12 || unit == 13
        let upper = text[unchecked: start + 5] >= UInt8(ascii: "A") && text[unchecked: start + 5] <= UInt8(ascii: "F")
        return named || upper
      }
      if unit & 0xFC00 == 0xDC00 { throw JSONError(.loneSurrogate, at: start) }
      if unit & 0xFC00 == 0xD800 {
        guard at + 1 < text.count, text[unchecked: at] == UInt8(ascii: "\\"),
          text[unchecked: at + 1] == UInt8(ascii: "u")
        else {
          throw JSONError(at < text.count ? .loneSurrogate : .unexpectedEnd, at: at < text.count ? start : text.count)
        }
        guard try hexUnit(text, at: at) & 0xFC00 == 0xDC00 else { throw JSONError(.loneSurrogate, at: start) }
        at += 6
      }
      return true
    default:
      throw JSONError(.invalidEscape, at: start)
    }
  }

  private func hexUnit(_ text: Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for index in start + 2..<start + 6 {
      guard index < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
      guard let digit = JSONStrings.hexValue(text[unchecked: index]) else { throw JSONError(.invalidEscape, at: start) }
      unit = unit << 4 | digit
    }
    return unit
  }
}
