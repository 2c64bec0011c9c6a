/// A string that is compared by its bytes, as a key.
///
/// `String` compares by canonical equivalence: KELVIN SIGN would find an item named `K`.
struct ByteKey: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether the string contains U+0000, at which SQLite's text functions stop.
  var holdsNUL: Bool { utf8.contains(0) }
}
