/// The mark of a list item: `- `, `* `, `+ `, `1. `, `1) `.
enum ListMark {
  /// The first byte behind the mark and its blanks; nil when the text does not begin with one.
  static func end(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
    var at = range.lowerBound
    guard at < range.upperBound else { return nil }
    switch text[at] {
    case 0x2D, 0x2A, 0x2B: at += 1
    case 0x30...0x39:
      let start = at
      while at < range.upperBound, at - start < 9, (0x30...0x39).contains(text[at]) { at += 1 }
      guard at < range.upperBound, text[at] == 0x2E || text[at] == 0x29 else { return nil }
      at += 1
    default: return nil
    }
    let behind = at
    while at < range.upperBound, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
    return at > behind ? at : nil
  }
}
