/// Converts text to escaped JSON strings and back.
public enum JSONStrings {
  @inlinable
  static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte &- 0x30)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte &- 0x61 &+ 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte &- 0x41 &+ 10)
    default: nil
    }
  }

  /// Returns the offset of the first quote or backslash at or after `start`, or the end of the text. `start` must be
  /// inside a string token.
  public static func plainEnd(_ text: Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < text.count {
      while at + 8 <= text.count {
        let found = JSONScanner.needsEscape(text.word(at: at))
        at += found == 0 ? 8 : found.trailingZeroBitCount >> 3
        if found != 0 { break }
      }
      guard at < text.count else { break }
      if text[at] == UInt8(ascii: "\"") || text[at] == UInt8(ascii: "\\") { break }
      at += 1
    }
    return at
  }

  /// Appends the text of a string token's inner bytes as UTF-8, with escapes resolved.
  ///
  /// The parser must have accepted the bytes: escapes are not checked again.
  public static func unescape(_ inner: Span<UInt8>, into out: inout ByteBuffer) {
    out.reserve(inner.count)
    var at = 0
    var run = 0
    while let found = inner.firstIndex(of: UInt8(ascii: "\\"), from: at), found + 1 < inner.count {
      at = found
      out.append(inner.extracting(run..<at))
      switch inner[at + 1] {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = unit(inner, at)
        if scalar & 0xFC00 == 0xD800 {
          let low = unit(inner, at + 6)
          scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (low & 0x3FF)
          at += 6
        }
        appendScalar(scalar, into: &out)
        at += 4
      default: out.append(inner[at + 1])  // quote, backslash, slash
      }
      at += 2
      run = at
    }
    if run < inner.count { out.append(inner.extracting(droppingFirst: run)) }
  }

  private static func unit(_ inner: Span<UInt8>, _ at: Int) -> UInt32 {
    guard at + 6 <= inner.count else { return 0xFFFD }
    var value: UInt32 = 0
    for index in at + 2..<at + 6 { value = value << 4 | (hexValue(inner[index]) ?? 0) }
    return value
  }

  private static func appendScalar(_ value: UInt32, into out: inout ByteBuffer) {
    let scalar = UnicodeScalar(value) ?? "\u{FFFD}"
    for byte in UTF8.encode(scalar).map({ $0 }) ?? UTF8.encodedReplacementCharacter { out.append(byte) }
  }
}

extension ByteBuffer {
  /// Appends `text` as a JSON string in quotes, with the shortest escapes. Non-ASCII characters and `/` are not
  /// escaped.
  ///
  /// The bytes must be UTF-8.
  public mutating func appendJSONString(_ text: Span<UInt8>) {
    reserve(text.count + 2)
    append(UInt8(ascii: "\""))
    var run = 0
    var at = 0
    while at < text.count {
      // Copies eight bytes at a time while none needs an escape.
      if at + 8 <= text.count {
        let special = JSONScanner.needsEscape(text.word(at: at))
        if special == 0 {
          at += 8
          continue
        }
        at += special.trailingZeroBitCount >> 3
      }
      let byte = text[at]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        at += 1
        continue
      }
      append(text.extracting(run..<at))
      appendEscape(byte)
      at += 1
      run = at
    }
    append(text.extracting(droppingFirst: run))
    append(UInt8(ascii: "\""))
  }

  /// Appends `text` as a JSON string in quotes.
  public mutating func appendJSONString(_ text: String) { appendJSONString(text.utf8.span) }

  /// Appends the escape of a quote, a backslash or a control character.
  mutating func appendEscape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x22, 0x5C: append(byte)
    default:
      append("u00")
      append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0x0F
      append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    }
  }
}

extension JSONStrings {
  /// Converts an offset in a string's text to an offset in the string as written.
  ///
  /// - Parameter offset: the byte offset in the text with escapes resolved.
  /// - Returns: The byte offset in `inner`, the bytes between the quotes. For a byte that an escape produced, this is
  ///   the start of the escape.
  public static func writtenOffset(ofTextOffset offset: Int, in inner: Span<UInt8>) -> Int {
    var offsets = WrittenOffsets()
    return offsets.written(offset, in: inner)
  }

  /// Returns the length of the byte or escape at `at`, and the number of UTF-8 bytes that it produces.
  static func step(_ inner: Span<UInt8>, _ at: Int) -> (written: Int, made: Int) {
    guard inner[at] == UInt8(ascii: "\\"), at + 1 < inner.count else { return (1, 1) }
    return inner[at + 1] == UInt8(ascii: "u") ? unicodeEscape(inner, at) : (2, 1)
  }

  /// Returns the length of a `\u` escape, or of a pair of them, and the number of UTF-8 bytes that it produces.
  private static func unicodeEscape(_ inner: Span<UInt8>, _ at: Int) -> (written: Int, made: Int) {
    guard at + 6 <= inner.count else { return (inner.count - at, 1) }
    var unit: UInt32 = 0
    for index in at + 2..<at + 6 { unit = unit << 4 | (hexValue(inner[index]) ?? 0) }
    switch unit {
    case 0..<0x80: return (6, 1)
    case 0x80..<0x800: return (6, 2)
    case 0xD800..<0xDC00: return (12, 4)
    default: return (6, 3)
    }
  }
}

/// Converts many offsets in a string's text to offsets in the string as written. All queries together cost about one
/// pass, in any order.
struct WrittenOffsets: Sendable {
  private struct Mark {
    /// The number of bytes of text after escapes are resolved.
    var text = 0
    /// The number of bytes as written.
    var written = 0
  }

  /// The smallest number of bytes of text between two marks.
  private static let stretch = 1024

  private var marks = [Mark()]

  /// Returns the offset in `inner` of the text's byte at `offset`. For a byte that an escape produced, this is the
  /// start of the escape.
  mutating func written(_ offset: Int, in inner: Span<UInt8>) -> Int {
    var low = 0
    var high = marks.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].text <= offset { low = middle } else { high = middle }
    }
    var at = marks[low]
    while at.written < inner.count {
      let step = JSONStrings.step(inner, at.written)
      if at.text + step.made > offset { return at.written }
      at.text += step.made
      at.written += step.written
      if let last = marks.last, at.text - last.text >= Self.stretch { marks.append(at) }
    }
    return inner.count
  }
}

/// Finds runs of combining marks that are too long, in the bytes of a JSON string as written.
///
/// A run in canonical order needs no sorting, however long it is; any other run must be sorted.
package enum MarkRuns {
  /// The distance between two checked bytes. A run that is too long cannot fit between them, because a mark has at
  /// least two bytes.
  private static let stride = 2 * JSONLimits.combiningMarks

  /// Returns the offset of the first mark in a run of more than `JSONLimits.combiningMarks` marks that are out of
  /// order, or nil if there is no such run.
  ///
  /// The parser must have accepted the bytes. The function checks one character in 512 bytes, and the characters around
  /// it only if it is a mark.
  static func tooLong(_ text: Span<UInt8>) -> Int? {
    guard text.count > stride else { return nil }
    var probe = stride
    while probe < text.count {
      if isMark(text, around: probe) { return search(text) }
      probe += stride
    }
    return nil
  }

  /// Returns whether `text` has a run that is too long, so that it cannot be stored as JSON.
  @inline(__always)
  package static func isTooLong(in text: Span<UInt8>) -> Bool { tooLong(text) != nil }

  /// Returns the text with each run shortened to `JSONLimits.combiningMarks` marks.
  package static func cut(_ text: Span<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var at = 0
    var marks = 0
    while at < text.count {
      let (order, length) = character(text, at)
      let end = min(at + length, text.count)
      marks = order == 0 ? 0 : marks + 1
      if marks <= JSONLimits.combiningMarks { for index in at..<end { kept.append(text[index]) } }
      at = end
    }
    return kept
  }

  private static func search(_ text: Span<UInt8>) -> Int? {
    var at = 0
    var first = 0
    var marks = 0
    var last: UInt8 = 0
    var isSorted = true
    while at < text.count {
      let (order, length) = character(text, at)
      if order != 0 {
        if marks == 0 {
          first = at
          isSorted = true
        }
        marks += 1
        if marks > 1, order < last || order == unsorted { isSorted = false }
        if !isSorted, marks > JSONLimits.combiningMarks { return first }
      } else {
        marks = 0
      }
      last = order
      at += length
    }
    return nil
  }

  /// Returns whether the byte at `probe` may belong to a mark that is written literally or as an escape.
  private static func isMark(_ text: Span<UInt8>, around probe: Int) -> Bool {
    var start = probe
    if text[probe] >= 0x80 {
      while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
      return character(text, start).order != 0
    }
    // A character can be a pair of escapes, which is twelve bytes long.
    while start > 0, probe - start < 12 {
      if text[start] == UInt8(ascii: "\\"), start + 1 < text.count, text[start + 1] == UInt8(ascii: "u") {
        return true
      }
      start -= 1
    }
    return false
  }

  /// The order of marks that decompose into two marks of ascending class. Several of them in a row are never in order.
  private static let unsorted: UInt8 = 255

  /// Returns the combining class of the mark at `at` (0 for other characters) and its length in bytes.
  private static func character(_ text: Span<UInt8>, _ at: Int) -> (order: UInt8, length: Int) {
    let byte = text[at]
    var value: UInt32 = 0
    var length = 1
    switch byte {
    case UInt8(ascii: "\\"):
      guard at + 5 < text.count, text[at + 1] == UInt8(ascii: "u") else { return (0, 2) }
      value = unit(text, at)
      length = 6
      if value & 0xFC00 == 0xD800, at + 11 < text.count {
        value = 0x10000 + ((value & 0x3FF) << 10) + (unit(text, at + 6) & 0x3FF)
        length = 12
      }
    case ..<0x80: return (0, 1)
    case ..<0xE0: (value, length) = (UInt32(byte & 0x1F), 2)
    case ..<0xF0: (value, length) = (UInt32(byte & 0x0F), 3)
    default: (value, length) = (UInt32(byte & 0x07), 4)
    }
    if byte >= 0x80 {
      guard at + length <= text.count else { return (0, 1) }
      for index in 1..<length { value = value << 6 | UInt32(text[at + index] & 0x3F) }
    }
    guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return (0, length) }
    switch value {
    case 0xF73, 0xF75, 0xF81: return (unsorted, length)
    default: return (scalar.properties.canonicalCombiningClass.rawValue, length)
    }
  }

  private static func unit(_ text: Span<UInt8>, _ at: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in at + 2..<at + 6 { value = value << 4 | (JSONStrings.hexValue(text[index]) ?? 0) }
    return value
  }
}

/// Compares JSON numbers as written, without converting them to floating point.
package enum JSONNumber {
  /// Returns whether two numbers have the same decimal value, as `1.50`, `1.5` and `15e-1` do.
  package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    if left.equals(right) { return true }
    guard let left = Decimal(left), let right = Decimal(right) else { return false }
    return left == right
  }

  /// Returns whether `text` is a valid JSON number.
  static func isNumber(_ text: Span<UInt8>) -> Bool {
    var at = 0
    func digits() -> Int {
      let start = at
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
      return at - start
    }
    if at < text.count, text[at] == UInt8(ascii: "-") { at += 1 }
    let first = at
    let whole = digits()
    guard whole > 0, whole == 1 || text[first] != UInt8(ascii: "0") else { return false }
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      guard digits() > 0 else { return false }
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
      guard digits() > 0 else { return false }
    }
    return at == text.count
  }

  /// A number's sign, its digits without zeros at either end, and the power of ten of its last digit.
  private struct Decimal: Equatable {
    var negative = false
    var digits: [UInt8] = []
    var exponent = 0

    /// Reads a number. Returns nil if the exponent is too large for arithmetic; such numbers are compared as text only.
    init?(_ text: Span<UInt8>) {
      var afterPoint = false
      var isCountable = true
      var index = 0
      scan: while index < text.count {
        switch text[index] {
        case UInt8(ascii: "-"): negative = true
        case UInt8(ascii: "."): afterPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          // Half of the integer range leaves room for adding the number of digits.
          if let written = Int(String(decoding: text.extracting(droppingFirst: index + 1))),
            (Int.min / 2...Int.max / 2).contains(written)
          {
            exponent += written
          } else {
            isCountable = false
          }
          break scan
        default:
          digits.append(text[index])
          if afterPoint { exponent -= 1 }
        }
        index += 1
      }
      while digits.last == UInt8(ascii: "0") {
        digits.removeLast()
        exponent += 1
      }
      if let first = digits.firstIndex(where: { $0 != UInt8(ascii: "0") }) {
        digits.removeFirst(first)
      }
      if digits.isEmpty {
        negative = false
        exponent = 0
        isCountable = true
      }
      guard isCountable else { return nil }
    }
  }
}
