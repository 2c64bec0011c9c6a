/// Examines the XML that precedes the plain content.
enum PlainHead {
  /// Whether XML that begins with these bytes declares UTF-8 or has no declaration.
  static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
    guard bytes.first == 0x3C else { return false }
    guard let declared = place(of: "encoding", in: bytes, from: 0), declared < end else { return true }
    return ["encoding=\"UTF-8\"", "encoding=\"utf-8\"", "encoding='UTF-8'", "encoding='utf-8'"]
      .contains { place(of: $0, in: bytes, from: 0) == declared }
  }

  /// Returns the first occurrence of a string at or after an offset.
  static func place(of text: String, in bytes: UnsafeBufferPointer<UInt8>, from: Int) -> Int? {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return nil }
    return (from...(max(from, bytes.count - wanted.count))).first { at in
      at + wanted.count <= bytes.count && bytes[at] == wanted[0]
        && UnsafeBufferPointer(rebasing: bytes[at..<(at + wanted.count)]).elementsEqual(wanted)
    }
  }
}
