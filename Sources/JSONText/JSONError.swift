/// Why a text is not JSON, and at which byte.
public struct JSONError: Error, Equatable, Sendable {
  /// What the parser met.
  public enum Reason: Equatable, Sendable {
    case empty
    case unexpectedEnd
    case unexpectedByte(UInt8, expected: String)
    case invalidNumber(String)
    case invalidEscape
    case loneSurrogate
    case controlCharacter(UInt8)
    case invalidUTF8
    case tooDeep(limit: Int)
    case tooLong
    case tooManyMarks(limit: Int)
    case textAfterValue
  }

  /// What the parser met.
  public let reason: Reason
  /// Offset of the byte, counted from the start of the text that was parsed.
  public let offset: Int

  /// Makes an error at a byte offset.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason in words, without the place.
  public var message: String {
    switch reason {
    case .empty: "the text is empty; a JSON value was expected"
    case .unexpectedEnd: "the text ends before the value does"
    case .unexpectedByte(let byte, let expected): "\(Self.show(byte)) where \(expected) was expected"
    case .invalidNumber(let why): "this is no JSON number: \(why)"
    case .invalidEscape: "a backslash must be followed by one of \" \\ / b f n r t or u and four hex digits"
    case .loneSurrogate: "this \\u escape is half of a surrogate pair"
    case .controlCharacter(let byte): "the control character \(Self.show(byte)) must be escaped in a string"
    case .invalidUTF8: "these bytes are not UTF-8"
    case .tooDeep(let limit): "values nest deeper than \(limit) levels"
    case .tooLong: "the value is longer than 4 GiB"
    case .tooManyMarks(let limit): "more than \(limit) combining marks follow each other out of order"
    case .textAfterValue: "there is text after the value"
    }
  }

  /// Line and column of the error in the text that was parsed.
  public func position(in text: UnsafeBufferPointer<UInt8>) -> TextPosition {
    TextPosition(offset: offset, in: text)
  }

  private static func show(_ byte: UInt8) -> String {
    switch byte {
    case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
    case 0x20: "a space"
    case 0x0A: "a line end"
    default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
}
