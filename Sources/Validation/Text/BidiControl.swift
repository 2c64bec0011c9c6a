/// A character that nobody sees and that changes the direction of writing.
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
