import JSONText

/// One text of an item that people read.
public struct OutlineText {
  /// What the text is.
  public enum Role: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    case title, description, documentTitle, documentDescription
    case sectionTitle, sectionDescription, stepTitle, stepDetails
    case cardFront, cardBack, cardHint
    /// A guide's body.
    case markdown
    case tag
  }

  /// What the text is.
  public let role: Role
  /// The string.
  public let node: JSONNode
  /// The text's UTF-8, escapes resolved; valid while the record is looked at.
  public let bytes: UnsafeBufferPointer<UInt8>

  /// The text.
  public var string: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether every byte is ASCII.
  public var isASCII: Bool {
    // An escape may stand for anything; the flag speaks of the bytes as written.
    let flags = node.token.flags
    if flags.contains(.nonASCII) { return false }
    return !flags.contains(.escaped) || bytes.allSatisfy { $0 < 0x80 }
  }
  /// Whether there is nothing but white space.
  public var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } || blankUnicode }

  private var blankUnicode: Bool {
    !isASCII && string.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
  }
  /// How long people would say it is: in characters.
  public var characters: Int { isASCII ? bytes.count : string.count }
}
