/// What to do in each case.
extension JSONAdvice {
  func unexpected(_ byte: UInt8, _ expected: String) -> String? {
    if let mark = quotationMark { return "write \" instead of \(mark)" }
    if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "/") && (self.byte(1) == byte || self.byte(1) == 0x2A) {
      return "JSON has no comments; delete it"
    }
    let last = previous.map { text[$0] }
    if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
      if let previous, last == UInt8(ascii: ",") { return "delete the comma before it (\(place(previous)))" }
      if last == UInt8(ascii: ":") { return "write a value before it, null if there is none" }
      if let inner = open.last, closer(inner).utf8.first != byte {
        return "\(bracket(inner)) is not closed: add \(closer(inner)) before it"
      }
    }
    if expected.hasPrefix("','") { return missingComma(byte) }
    if expected == "':'" {
      return byte == UInt8(ascii: "=") ? "write : instead of =" : "write a colon between the name and its value"
    }
    if expected.hasPrefix("'{'") { return nil }
    return otherWord(byte, isName: expected.hasPrefix("a member name"))
  }

  /// The typographic or single quotation mark at the error.
  private var quotationMark: String? {
    switch (byte(), byte(1), byte(2)) {
    case (0x27, _, _): "'"
    case (0xE2, 0x80, let last?) where (0x98...0x9F).contains(last):
      String(decoding: text[offset..<offset + 3], as: UTF8.self)
    case (0xC2, 0xAB, _), (0xC2, 0xBB, _): String(decoding: text[offset..<offset + 2], as: UTF8.self)
    default: nil
    }
  }

  private func missingComma(_ byte: UInt8) -> String? {
    guard let previous else { return nil }
    if byte == UInt8(ascii: ";") { return "write , instead of ;" }
    if byte == UInt8(ascii: ":") { return "put names and values into { and }" }
    // A string that ends right before a letter mostly holds quotation marks.
    if text[previous] == UInt8(ascii: "\""), previous == offset - 1 {
      return "write \\\" for a quotation mark inside a string, or add a comma before it"
    }
    let begins = [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-")].contains(byte)
    let isWord = byte &- 0x30 < 10 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
    return begins || isWord && previous < offset - 1 ? "add a comma before it (\(place(previous + 1)))" : nil
  }

  /// A word of another language, or one without quotes.
  private func otherWord(_ byte: UInt8, isName: Bool) -> String? {
    if byte == UInt8(ascii: ",") { return "delete the comma, or write a value before it" }
    if byte == UInt8(ascii: ".") { return "write a digit before the point" }
    if byte == UInt8(ascii: "+") { return "delete the +" }
    let word = word
    if word.isEmpty { return nil }
    if isName { return "write the name in quotes: \"\(word)\"" }
    switch word.lowercased() {
    case "true", "yes", "on": return "write true"
    case "false", "no", "off": return "write false"
    case "none", "null", "nil", "undefined": return "write null"
    case "nan", "inf", "infinity": return "JSON has no \(word); write null, or a number"
    // Alone in a line it is mostly no value at all.
    default: return open.isEmpty ? nil : "write it in quotes: \"\(word)\""
    }
  }

  var ending: String {
    if let string { return unclosedString(string) }
    if open.isEmpty { return "the text breaks off; add the rest" }
    var named = open.suffix(3).reversed().map(bracket)
    if open.count > 3 { named.append("\(open.count - 3) more") }
    let last = named.popLast() ?? ""
    let list = named.isEmpty ? last : named.joined(separator: ", ") + " and " + last
    let closers = open.suffix(12).reversed().map(closer).joined()
    let verb = open.count == 1 ? "is" : "are"
    let hint = isLine ? "; in a .jsonl file each record stands on one line" : ""
    return "\(list) \(verb) not closed: add \(closers)\(open.count > 12 ? "…" : "")\(hint)"
  }

  private func unclosedString(_ start: Int) -> String {
    "the string that begins at \(place(start)) is not closed; add a quote"
  }

  var after: String? {
    switch byte() {
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return "delete it; no bracket is open here"
    case UInt8(ascii: ","): return "delete the comma, or put the values into [ and ]"
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
      return isLine
        ? "put each record on a line of its own"
        : "a file with one record a line is .jsonl: name it so, or put the values into [ and ]"
    case UInt8(ascii: "#"): return "JSON has no comments; delete it"
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*"):
      return "JSON has no comments; delete it"
    default: return "delete what stands behind the value"
    }
  }

  func control(_ byte: UInt8) -> String? {
    switch byte {
    case 0x0A, 0x0D: string.map { unclosedString($0) + ", or write the line end as \\n" }
    case 0x09: "write \\t for a tab"
    default: "delete it, or write it as \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
    }
  }

  var number: String? {
    if byte() == UInt8(ascii: "0") { return "write the number without zeros in front, or in quotes" }
    if byte().map({ $0 | 0x20 }) == UInt8(ascii: "i") { return "JSON has no \(word); write null, or a number" }
    return "write a digit here"
  }
}
