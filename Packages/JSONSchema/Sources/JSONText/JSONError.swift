/// The reason why a text is not JSON, and the offset of the error.
public struct JSONError: Error, Equatable, Sendable {
  /// The kind of error.
  public enum Reason: Equatable, Sendable {
    case empty
    case unexpectedEnd
    case unexpectedByte(UInt8, expected: String)
    case invalidNumber(String)
    case invalidEscape
    case loneSurrogate
    case controlCharacter(UInt8)
    case invalidUTF8
    case tooDeep(limit: Int)
    case tooLong
    case tooManyMarks(limit: Int)
    case textAfterValue
  }

  /// The kind of error.
  public let reason: Reason
  /// The offset of the invalid byte from the start of the parsed text.
  public let offset: Int

  /// Creates an error at a byte offset.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// A message that describes the reason, without the position.
  public var message: String {
    switch reason {
    case .empty: "the text is empty, but a JSON value was expected"
    case .unexpectedEnd: "the JSON ends in the middle of a value"
    case .unexpectedByte(let byte, let expected): "\(Self.show(byte)) where \(expected) was expected"
    case .invalidNumber(let why): "this is not a JSON number: \(why)"
    case .invalidEscape: "a backslash must be followed by one of \" \\ / b f n r t or u and four hex digits"
    case .loneSurrogate: "this \\u escape is half of a surrogate pair"
    case .controlCharacter(let byte): "the control character \(Self.show(byte)) must be escaped in a string"
    case .invalidUTF8: "these bytes are not UTF-8"
    case .tooDeep(let limit): "values nest deeper than \(limit) levels"
    case .tooLong: "the value is longer than 4 GiB"
    case .tooManyMarks(let limit): "more than \(limit) consecutive combining marks are out of order"
    case .textAfterValue: "there is text after the value"
    }
  }

  /// Returns the line and column of the error in the parsed text.
  public func position(in text: Span<UInt8>) -> TextPosition {
    TextPosition(offset: offset, in: text)
  }

  private static func show(_ byte: UInt8) -> String {
    switch byte {
    case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
    case 0x20: "a space"
    case 0x0A: "a line end"
    default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }

  // MARK: Advice about a text that is not JSON

  /// Examines the bytes around the error and returns advice on fixing it, in lower case and without a full stop.
  ///
  /// Reads the text once, up to the error. The nesting depth bounds the memory use.
  /// - Parameters:
  ///   - text: the text that the error's offset refers to.
  ///   - range: the range that was parsed, which is read up to the error; nil means the whole `text`.
  ///   - origin: the line and column where the range starts.
  ///   - isLine: whether the range is a line of a file with one record per line.
  /// - Returns: The advice, or nil if the bytes reveal no more than the message does.
  public func advice(
    in text: Span<UInt8>, _ range: Range<Int>? = nil,
    from origin: TextPosition = TextPosition(line: 1, column: 1), isLine: Bool = false
  ) -> String? {
    let range = (range ?? 0..<text.count).clamped(to: 0..<text.count)
    let part = text.extracting(range)
    if JSONAdvice.mayBeUTF16(text) || JSONAdvice.mayBeUTF16(part) {
      return "the file is UTF-16; save it as UTF-8"
    }
    let offset = min(max(0, offset - range.lowerBound), part.count)
    if JSONAdvice.isBinary(part, offset) {
      return "the file is not text; restore it from a backup or from version control"
    }
    if JSONAdvice.isConflict(part, offset) {
      return "git could not merge the file: resolve the conflict that begins here, or take one side's file"
    }
    return part.withUnsafeBufferPointer { JSONAdvice($0, offset, origin, isLine: isLine).advice(reason) }
  }
}

/// The positions around an error that the advice refers to.
private struct JSONAdvice {
  let text: UnsafeBufferPointer<UInt8>
  let offset: Int
  private let isLine: Bool
  private let origin: TextPosition
  /// The offsets of the brackets that are open at the error, outermost first.
  private(set) var open: [Int] = []
  /// The offset of the opening quote, if the error is in a string.
  private(set) var string: Int?
  /// The offset of the last byte before the error that is not white space.
  private(set) var previous: Int?

  /// The largest number of stored brackets, one more than the depth that the parser supports.
  private static let depth = JSONLimits.depth + 1

  init(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int, _ origin: TextPosition, isLine: Bool) {
    self.text = text
    self.offset = offset
    self.origin = origin
    self.isLine = isLine
    var at = 0
    while at < offset {
      let byte = text[at]
      if string != nil {
        if byte == UInt8(ascii: "\\") {
          at += 1
        } else if byte == UInt8(ascii: "\"") {
          string = nil
        }
      } else if byte == UInt8(ascii: "\"") {
        string = at
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        if open.count < Self.depth { open.append(at) }
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        _ = open.popLast()
      }
      if byte != 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { previous = at }
      at += 1
    }
  }

  /// Returns whether the text begins with a UTF-16 byte order mark or with one zero byte among its first two bytes.
  fileprivate static func mayBeUTF16(_ text: Span<UInt8>) -> Bool {
    guard text.count > 1 else { return false }
    return text[0] == 0xFF && text[1] == 0xFE || text[0] == 0xFE && text[1] == 0xFF
      || (text[0] == 0) != (text[1] == 0)
  }

  /// Returns whether the error is at the beginning of a text with control codes that no text file contains.
  static func isBinary(_ text: Span<UInt8>, _ offset: Int) -> Bool {
    let start = text.extracting(first: 512)
    return !text.extracting(first: offset).contains { $0 > 0x20 }
      && start.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
  }

  /// Returns whether the error is in a conflict marker, which git writes around lines that it could not merge.
  static func isConflict(_ text: Span<UInt8>, _ offset: Int) -> Bool {
    var start = offset
    while start > 0, offset - start <= 8, text[start - 1] != 0x0A { start -= 1 }
    return (start == 0 || text[start - 1] == 0x0A) && text.starts(with: "<<<<<<< ", at: start)
  }

  func advice(_ reason: JSONError.Reason) -> String? {
    switch reason {
    case .unexpectedByte(let byte, let expected): unexpected(byte, expected)
    case .unexpectedEnd: ending
    case .textAfterValue: after
    case .controlCharacter(let byte): control(byte)
    case .invalidNumber: number
    case .invalidEscape: "write \\\\ for a backslash"
    case .loneSurrogate: "write both halves, or the character itself"
    case .invalidUTF8: "save the file as UTF-8"
    case .tooManyMarks: "delete the marks; no letter has that many"
    case .empty: Self.restore
    case .tooDeep, .tooLong: nil
    }
  }

  // MARK: Words

  /// Returns the position of byte `index`, such as `3:14`.
  func place(_ index: Int) -> String {
    let position = TextPosition(offset: index, in: text.span)
    let column = position.line == 1 ? origin.column + position.column - 1 : position.column
    return "\(origin.line + position.line - 1):\(column)"
  }

  /// Returns the byte at a distance of `ahead` from the error, or nil past the end.
  func byte(_ ahead: Int = 0) -> UInt8? { offset + ahead < text.count ? text[offset + ahead] : nil }

  /// The letters and digits around the error.
  var word: String {
    func isWord(_ byte: UInt8) -> Bool {
      byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte &- 0x30 < 10 || byte == 0x5F
    }
    var start = offset
    while start > 0, offset - start < 40, isWord(text[start - 1]) { start -= 1 }
    var end = offset
    while end < text.count, end - offset < 40, isWord(text[end]) { end += 1 }
    return String(decoding: text[start..<end], as: UTF8.self)
  }

  /// Returns the bracket that closes the bracket at `index`.
  private func closer(_ index: Int) -> String { text[index] == UInt8(ascii: "{") ? "}" : "]" }

  /// Names the bracket at `index` with its position, such as `the { at 1:1`.
  private func bracket(_ index: Int) -> String { "the \(Character(UnicodeScalar(text[index]))) at \(place(index))" }

  // MARK: Advice for each case

  private static let restore = "restore the file from a backup or from version control"

  func unexpected(_ byte: UInt8, _ expected: String) -> String? {
    if let mark = quotationMark { return "write \" instead of \(mark)" }
    if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "/") && (self.byte(1) == byte || self.byte(1) == 0x2A) {
      return "JSON has no comments; delete it"
    }
    let last = previous.map { text[$0] }
    if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
      if let previous, last == UInt8(ascii: ",") { return "delete the comma before it (\(place(previous)))" }
      if last == UInt8(ascii: ":") { return "write a value before it, or null if there is no value" }
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
    if byte == UInt8(ascii: ":") { return "enclose names and values in { and }" }
    // A string that ends directly before a letter usually contains unescaped quotation marks.
    if text[previous] == UInt8(ascii: "\""), previous == offset - 1 {
      return "write \\\" for a quotation mark inside a string, or add a comma before it"
    }
    let begins = [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-")].contains(byte)
    let isWord = byte &- 0x30 < 10 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
    return begins || isWord && previous < offset - 1 ? "add a comma before it (\(place(previous + 1)))" : nil
  }

  /// Returns advice for a word that is a literal of another language or a string without quotes.
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
    // A word outside all brackets is usually not a JSON value.
    default: return open.isEmpty ? nil : "write it in quotes: \"\(word)\""
    }
  }

  var ending: String {
    if let string { return unclosedString(string) }
    if previous == nil { return Self.restore }
    if open.isEmpty { return "the text is incomplete; add the rest" }
    var named = open.suffix(3).reversed().map(bracket)
    if open.count > 3 { named.append("\(open.count - 3) more") }
    let last = named.popLast() ?? ""
    let list = named.isEmpty ? last : named.joined(separator: ", ") + " and " + last
    let closers = open.suffix(12).reversed().map(closer).joined()
    let verb = open.count == 1 ? "is" : "are"
    let hint = isLine ? "; in a .jsonl file each record is one line" : ""
    return "\(list) \(verb) not closed: add \(closers)\(open.count > 12 ? "…" : "")\(hint)"
  }

  private func unclosedString(_ start: Int) -> String {
    "the string that begins at \(place(start)) is not closed; add a quote"
  }

  var after: String? {
    switch byte() {
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return "delete it; no bracket is open here"
    case UInt8(ascii: ","): return "delete the comma, or enclose the values in [ and ]"
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
      return isLine
        ? "put each record on its own line"
        : "a file with one record per line needs the extension .jsonl: rename it, or enclose the values in [ and ]"
    case UInt8(ascii: "#"): return "JSON has no comments; delete it"
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*"):
      return "JSON has no comments; delete it"
    default: return "delete the text after the value"
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
    if byte() == UInt8(ascii: "0") { return "write the number without leading zeros, or in quotes" }
    if byte().map({ $0 | 0x20 }) == UInt8(ascii: "i") { return "JSON has no \(word); write null, or a number" }
    return "write a digit here"
  }
}
