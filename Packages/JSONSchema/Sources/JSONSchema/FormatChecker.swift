import JSONText

/// Checks strings against one of the formats of JSON Schema.
///
/// The checks implement the exact grammars of the documents that JSON Schema refers to. The time of each check is
/// proportional to the length of the text. Values are never looked up: a host name need not exist.
/// - Source: JSON Schema Validation 2020-12, section 7.3.
public struct FormatChecker: Sendable {
  private typealias Check = @Sendable (Span<UInt8>) -> Bool

  private let check: Check

  /// Creates the checker for a format. Returns nil for a name that JSON Schema does not define.
  public init?(_ name: String) {
    guard let check = Self.checks[name] else { return nil }
    self.check = check
  }

  /// Returns whether `text`, which is UTF-8 without escapes, matches the format.
  public func accepts(_ text: Span<UInt8>) -> Bool { check(text) }

  /// Returns whether `text` matches the format.
  public func accepts(_ text: String) -> Bool { check(text.utf8.span) }

  /// The names of the formats in alphabetical order.
  public static var names: [String] { checks.keys.sorted() }

  private static let checks: [String: Check] = [
    "date": DateTimeFormats.isDate, "time": DateTimeFormats.isTime, "date-time": DateTimeFormats.isDateTime,
    "duration": DurationFormat.isDuration,
    "email": { EmailFormats.isMailbox($0, international: false) },
    "idn-email": { EmailFormats.isMailbox($0, international: true) },
    "hostname": HostnameFormats.isHostname, "idn-hostname": HostnameFormats.isInternationalHostname,
    "ipv4": AddressFormats.isIPv4, "ipv6": AddressFormats.isIPv6,
    "uri": { URIFormats.isURI($0, international: false, relative: false) },
    "uri-reference": { URIFormats.isURI($0, international: false, relative: true) },
    "iri": { URIFormats.isURI($0, international: true, relative: false) },
    "iri-reference": { URIFormats.isURI($0, international: true, relative: true) },
    "uri-template": URITemplateFormat.isTemplate,
    "uuid": UUIDFormat.isUUID,
    "json-pointer": PointerFormats.isPointer, "relative-json-pointer": PointerFormats.isRelativePointer,
    "regex": { (try? ECMARegex(String(decoding: $0))) != nil },
  ]
}

/// A cursor over the bytes of a string that is checked against a format.
struct FormatCursor {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The index of the next byte.
  var position = 0

  /// Creates a cursor at the start of `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Whether the cursor is at the end.
  var isAtEnd: Bool { position >= bytes.count }

  /// The next byte; nil at the end.
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Consumes the next byte if it is `scalar`, which must be ASCII.
  mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
    guard let byte = peek, byte == UInt8(truncatingIfNeeded: scalar.value) else { return false }
    position += 1
    return true
  }

  /// Consumes the next byte if it satisfies `condition`.
  mutating func accept(where condition: (UInt8) -> Bool) -> Bool {
    guard let byte = peek, condition(byte) else { return false }
    position += 1
    return true
  }

  /// Consumes bytes while they satisfy `condition`, and returns the number of consumed bytes.
  mutating func skip(while condition: (UInt8) -> Bool) -> Int {
    let start = position
    while let byte = peek, condition(byte) { position += 1 }
    return position - start
  }

  /// Consumes exactly `count` digits, and returns the number that they represent.
  mutating func digits(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let byte = peek, byte.isDigit else { return nil }
      number = number * 10 + Int(byte & 15)
      position += 1
    }
    return number
  }

  /// Consumes `%` and two hexadecimal digits.
  mutating func acceptPercentEncoded() -> Bool {
    guard position + 2 < bytes.count, bytes[position] == UInt8(ascii: "%"), bytes[position + 1].isHexDigit,
      bytes[position + 2].isHexDigit
    else { return false }
    position += 3
    return true
  }

  /// Consumes a code point beyond ASCII if it satisfies `condition`.
  mutating func acceptBeyondASCII(where condition: (UInt32) -> Bool) -> Bool {
    guard let byte = peek, byte >= 0x80 else { return false }
    let (scalar, next) = UTF8Scalar.decode(bytes.span, position)
    guard condition(scalar) else { return false }
    position = next
    return true
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  /// Whether the byte is an ASCII letter.
  var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
  /// Whether the byte is an ASCII hexadecimal digit.
  var isHexDigit: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20 }
  /// Whether the byte is an ASCII letter or digit.
  var isAlphanumeric: Bool { isDigit || isLetter }

  /// Returns whether the byte is one of the characters in `set`, which must all be ASCII.
  func isOne(of set: StaticString) -> Bool {
    set.withUTF8Buffer { $0.contains(self) }
  }
}

extension Span<UInt8> {
  /// Passes a cursor at the start of the bytes to `body`. The cursor is valid only inside `body`.
  func read(_ body: (inout FormatCursor) -> Bool) -> Bool {
    withUnsafeBufferPointer { bytes in
      var cursor = FormatCursor(bytes)
      return body(&cursor)
    }
  }
}

/// Checks the format `uuid`.
/// - Source: RFC 4122, section 3. The version and the variant may have any value, because the format covers only the
///   syntax.
enum UUIDFormat {
  /// Returns whether `text` is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  static func isUUID(_ text: Span<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    for index in text.indices {
      switch index {
      case 8, 13, 18, 23: if text[index] != UInt8(ascii: "-") { return false }
      default: if !text[index].isHexDigit { return false }
      }
    }
    return true
  }
}
