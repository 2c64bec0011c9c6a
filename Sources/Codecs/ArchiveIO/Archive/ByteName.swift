/// A name that equals another name only if their bytes are equal. Swift's strings are equal if they look the same.
struct ByteName: Hashable {
  /// The name.
  let text: String

  /// Wraps a name.
  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(text.utf8.count)
  }
}
