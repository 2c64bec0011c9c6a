/// Characters that have no place in a text: no one sees them, or every device shows something else.
enum Invisible {
  /// Whether a scalar is a control, of no width, private or no character at all.
  ///
  /// Joiners (U+200C, U+200D) and selectors are not: emoji, Persian and Indic scripts need them.
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

  /// Whether the scalar's look is agreed on privately, as Apple's logo is.
  static func isPrivate(_ scalar: UInt32) -> Bool {
    (0xE000...0xF8FF).contains(scalar) || (0xF0000...0xFFFFD).contains(scalar)
      || (0x10_0000...0x10_FFFD).contains(scalar)
  }

  /// What is in a scalar's place in clean text: a new line for separators of lines, else nothing.
  static func replacement(_ scalar: UInt32) -> String {
    switch scalar {
    case 0x0B, 0x0C, 0x85, 0x2028, 0x2029: "\n"
    default: ""
    }
  }
}

/// A character that no one sees and that changes the direction of writing.
enum BidiControl {
  /// U+200E, U+200F, U+061C: a direction for one place.
  case mark
  /// U+2066…U+2068.
  case isolate
  /// U+2069.
  case isolateEnd
  /// U+202A…U+202E: what Unicode advises against since isolates exist.
  case embedding

  /// What a scalar is; nil for all but twelve.
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
