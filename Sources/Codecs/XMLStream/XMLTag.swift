/// Finds the attributes in the bytes of a tag, which may be incomplete.
enum XMLTag {
  /// Returns the ranges of the complete attributes' names and values, without quotes.
  static func attributes(of tag: UnsafeBufferPointer<UInt8>) -> [(name: Range<Int>, value: Range<Int>)] {
    var found: [(name: Range<Int>, value: Range<Int>)] = []
    var at = 0
    func skip(while isWanted: (UInt8) -> Bool) { while at < tag.count, isWanted(tag[at]) { at += 1 } }
    skip { !isSpace($0) }
    while true {
      skip(while: isSpace)
      let name = at
      skip { $0 != 0x3D && !isSpace($0) }
      let nameEnd = at
      skip { $0 != 0x22 && $0 != 0x27 }
      guard at < tag.count else { return found }
      let quote = tag[at]
      at += 1
      let value = at
      skip { $0 != quote }
      guard at < tag.count else { return found }
      found.append((name..<nameEnd, value..<at))
      at += 1
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
