/// One value or member name of a JSON text: where it stands and what it is.
///
/// 16 bytes, no references. A tape lists tokens in document order; a member is two of them, name then value.
public struct JSONToken: Sendable {
  /// What a token is.
  public enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object
  }

  /// What the parser noticed about a token, so that nobody has to look twice.
  public struct Flags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes a set of bits.
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

  /// Offset of the first byte (a string's opening quote) from the start of the text.
  public var start: UInt32
  /// Length in bytes, quotes and brackets included.
  public var length: UInt32
  /// Index of the first token after this value and everything inside it.
  public var next: UInt32
  /// What the token is.
  public var kind: Kind
  /// What the parser noticed.
  public var flags: Flags
  /// How many elements or members a container has, counted up to 65 535.
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
