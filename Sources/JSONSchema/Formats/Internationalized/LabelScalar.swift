/// The rule that determines whether a code point is allowed in a label.
/// - Source: RFC 5892, sections 2 and 3, with the properties of Swift's version of Unicode.
enum LabelScalar {
  /// The code point is allowed anywhere.
  case valid
  /// The code point is allowed where a rule in RFC 5892, appendix A, permits it.
  case contextual
  /// The code point is not allowed.
  case disallowed

  /// Determines the rule for a code point.
  init(_ scalar: Unicode.Scalar) {
    let properties = scalar.properties
    if let exception = Self.exception(scalar.value) {
      self = exception
    } else if properties.generalCategory == .unassigned {
      self = .disallowed
    } else if scalar.isASCII {
      let byte = UInt8(scalar.value)
      self = byte.isDigit || byte == UInt8(ascii: "-") || (byte.isLetter && byte >= 0x61) ? .valid : .disallowed
    } else if properties.isJoinControl {
      self = .contextual
    } else if properties.changesWhenNFKCCaseFolded || properties.isDefaultIgnorableCodePoint
      || properties.isWhitespace || properties.isNoncharacterCodePoint || Self.isInIgnoredBlock(scalar.value)
      || Self.isOldHangul(scalar.value)
    {
      self = .disallowed
    } else {
      switch properties.generalCategory {
      case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter, .nonspacingMark,
        .spacingMark:
        self = .valid
      default: self = .disallowed
      }
    }
  }

  private static func exception(_ scalar: UInt32) -> LabelScalar? {
    switch scalar {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: .valid
    case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9: .contextual
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: .disallowed
    default: nil
    }
  }

  /// Returns whether a code point is a combining mark for symbols or a musical symbol.
  private static func isInIgnoredBlock(_ scalar: UInt32) -> Bool {
    0x20D0...0x20FF ~= scalar || 0x1D100...0x1D24F ~= scalar
  }

  /// Returns whether a code point is a jamo that is composed into syllables.
  private static func isOldHangul(_ scalar: UInt32) -> Bool {
    0x1100...0x11FF ~= scalar || 0xA960...0xA97C ~= scalar || 0xD7B0...0xD7C6 ~= scalar || 0xD7CB...0xD7FB ~= scalar
  }
}
