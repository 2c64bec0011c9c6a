/// Characters that do not belong in text because they are invisible or look different on every device.
enum Invisible {
  /// Whether a scalar is a control, a zero-width character, a private-use character or a noncharacter.
  ///
  /// Joiners (U+200C, U+200D) and selectors do not count, because emoji, Persian and Indic scripts need them.
  static func isInvisible(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D: false
    case 0..<0x20, 0x7F..<0xA0, 0xAD: true
    case 0x200B, 0x2028, 0x2029, 0x2060...0x2064, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0x180E: true
    case 0xE0000...0xE007F: true
    case 0xFDD0...0xFDEF: true
    default: isPrivate(scalar) || scalar & 0xFFFE == 0xFFFE
    }
  }

  /// Whether the scalar is in a private-use area, such as Apple's logo.
  static func isPrivate(_ scalar: UInt32) -> Bool {
    (0xE000...0xF8FF).contains(scalar) || (0xF0000...0xFFFFD).contains(scalar)
      || (0x10_0000...0x10_FFFD).contains(scalar)
  }

  /// Returns the replacement for a scalar in clean text: a new line for line separators, otherwise an empty string.
  static func replacement(_ scalar: UInt32) -> String {
    switch scalar {
    case 0x0B, 0x0C, 0x85, 0x2028, 0x2029: "\n"
    default: ""
    }
  }
}

/// An invisible character that changes the writing direction.
enum BidiControl {
  /// U+200E, U+200F or U+061C: sets the direction at one position.
  case mark
  /// U+2066…U+2068: begins an isolate.
  case isolate
  /// U+2069: ends an isolate.
  case isolateEnd
  /// U+202A…U+202E: begins or ends an embedding or override. Unicode has discouraged these since isolates were
  /// introduced.
  case embedding

  /// Classifies a scalar. Fails for all but twelve scalars.
  init?(_ scalar: UInt32) {
    switch scalar {
    case 0x200E, 0x200F, 0x61C: self = .mark
    case 0x2066...0x2068: self = .isolate
    case 0x2069: self = .isolateEnd
    case 0x202A...0x202E: self = .embedding
    default: return nil
    }
  }
}
