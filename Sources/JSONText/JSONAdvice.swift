/// What a person can do about a text that is not JSON.
extension JSONError {
  /// Looks at the bytes around the error and says what to do, in lower case and without a full stop.
  ///
  /// Reads the text once up to the error; memory is bounded by the depth.
  /// - Parameters:
  ///   - text: what the error's offset counts in.
  ///   - range: the part that was parsed, in order up to the error; nil is all of `text`.
  ///   - origin: line and column of the part's start.
  ///   - isLine: whether the part is a line of a file with one record a line.
  /// - Returns: nil when the bytes tell no more than the message does.
  public func advice(
    in text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>? = nil,
    from origin: TextPosition = TextPosition(line: 1, column: 1), isLine: Bool = false
  ) -> String? {
    let range = (range ?? 0..<text.count).clamped(to: 0..<text.count)
    let part = UnsafeBufferPointer(rebasing: text[range])
    if JSONAdvice.looksLikeUTF16(text) || JSONAdvice.looksLikeUTF16(part) {
      return "the file is UTF-16; save it as UTF-8"
    }
    let offset = min(max(0, offset - range.lowerBound), part.count)
    if JSONAdvice.isConflict(part, offset) {
      return "git could not merge the file: settle the conflict that begins here, or take one side's whole file"
    }
    return JSONAdvice(part, offset, origin, isLine: isLine).advice(reason)
  }
}

/// The places around an error that advice speaks of.
struct JSONAdvice {
  let text: UnsafeBufferPointer<UInt8>
  let offset: Int
  let isLine: Bool
  private let origin: TextPosition
  /// Brackets that are open before the error, outermost first.
  private(set) var open: [Int] = []
  /// The opening quote of the string that the error is in.
  private(set) var string: Int?
  /// The last byte before the error that is no white space.
  private(set) var previous: Int?

  /// Brackets are remembered to this depth, a little more than the parser follows.
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

  /// A mark of UTF-16, or a zero byte among the first four.
  static func looksLikeUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let head = text.prefix(4)
    return head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || head.count > 1 && head.contains(0)
  }

  /// Whether the error is in a line that git writes before the lines that it could not merge.
  static func isConflict(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
    var start = offset
    while start > 0, offset - start <= 8, text[start - 1] != 0x0A { start -= 1 }
    return (start == 0 || text[start - 1] == 0x0A) && text[start...].starts(with: "<<<<<<< ".utf8)
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
    case .tooManyMarks: "delete the marks; no letter has so many"
    case .empty, .tooDeep, .tooLong: nil
    }
  }

  // MARK: Words

  /// `3:14`: where byte `index` stands.
  func place(_ index: Int) -> String {
    let position = TextPosition(offset: index, in: text)
    let column = position.line == 1 ? origin.column + position.column - 1 : position.column
    return "\(origin.line + position.line - 1):\(column)"
  }

  /// The byte `ahead` of the error; nil behind the end.
  func byte(_ ahead: Int = 0) -> UInt8? { offset + ahead < text.count ? text[offset + ahead] : nil }

  /// The letters and digits that the error lies in.
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

  /// The bracket that closes the one at `index`.
  func closer(_ index: Int) -> String { text[index] == UInt8(ascii: "{") ? "}" : "]" }

  /// `the { at 1:1`.
  func bracket(_ index: Int) -> String { "the \(Character(UnicodeScalar(text[index]))) at \(place(index))" }
}
