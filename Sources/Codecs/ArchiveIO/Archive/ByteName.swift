/// A name that is the same as another only when its bytes are; Swift's own texts are the same when they look so.
struct ByteName: Hashable {
  /// The name.
  let text: String

  /// Takes a name.
  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(text.utf8.count)
  }
}
