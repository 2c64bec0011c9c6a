/// How findings quote what they found.
enum Quote {
  /// The text in quotation marks, on one line, shortened in the middle of long ones.
  static func short(_ text: String, limit: Int = 60) -> String {
    // A hostile text may have a megabyte in one character, so bytes are counted before characters.
    var head = text.utf8.count > limit * 16 ? String(text.unicodeScalars.prefix(limit * 4)) : text
    head = String(head.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    guard head.count > limit else { return "“\(head)”" }
    return "“\(head.prefix(limit - 1))…”"
  }

  /// Some bytes of a text in quotation marks.
  static func short(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, limit: Int = 60) -> String {
    short(UTF8Reader.string(bytes, range.clamped(to: 0..<bytes.count)), limit: limit)
  }

  /// `, and 4 more`, or nothing.
  static func more(_ count: Int) -> String { count > 0 ? ", and \(count) more" : "" }
}
