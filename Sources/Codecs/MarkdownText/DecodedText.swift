import JSONText

/// The text of a file as UTF-8 without a byte order mark, and the file's encoding.
///
/// UTF-8 is not copied: the text is a range of the file's bytes. Other encodings are converted. Time and memory are
/// linear in the size of the file.
public struct DecodedText: Sendable {
  /// The encoding of the file.
  public let encoding: TextEncoding
  /// Whether the file began with a byte order mark.
  public let hadBOM: Bool
  /// The certainty of the encoding in percent; 100 for valid UTF-8 and for byte order marks.
  public let certainty: Int
  /// The range of the text in the file's bytes if it is already UTF-8; nil if it was converted.
  public let range: Range<Int>?
  /// The text if it was converted; otherwise empty.
  public let converted: [UInt8]

  /// Detects the encoding of a file. A byte order mark decides first. Without one, the encoding is UTF-16 if the bytes
  /// then look like text, UTF-8 if they are valid, and otherwise the Windows code page in which the letters form words.
  ///
  /// - Returns: nil for bytes that are not text: many control characters, broken UTF-16, UTF-8 with a few broken bytes
  ///   (any code page would garble all its letters), and Cyrillic in code pages other than the Windows one.
  public static func decode(_ bytes: Span<UInt8>) -> DecodedText? {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      let rest = bytes.extracting(droppingFirst: 3)
      guard UTF8Check.firstInvalid(in: rest) == nil, !isBinary(rest, ControlCharacters.count(in: rest)) else {
        return nil
      }
      return DecodedText(.utf8, hadBOM: true, certainty: 100, range: 3..<bytes.count)
    }
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE {
      let isLittle = bytes[0] == 0xFF
      guard let text = UTF16Decoder.decode(bytes, from: 2, isLittleEndian: isLittle) else { return nil }
      return DecodedText(
        isLittle ? .utf16LittleEndian : .utf16BigEndian, hadBOM: true, certainty: 100, converted: text)
    }
    let controls = ControlCharacters.count(in: bytes)
    let invalid = UTF8Check.firstInvalid(in: bytes)
    if controls == 0, invalid == nil {
      return DecodedText(.utf8, hadBOM: false, certainty: 100, range: 0..<bytes.count)
    }
    // Only control characters suggest UTF-16: in UTF-16, the high byte of an ASCII character is zero, and the high byte
    // of a Cyrillic letter is four.
    if controls > 0, let (isLittle, certainty) = UTF16Decoder.recognise(bytes),
      let text = UTF16Decoder.decode(bytes, from: 0, isLittleEndian: isLittle)
    {
      return DecodedText(
        isLittle ? .utf16LittleEndian : .utf16BigEndian, hadBOM: false, certainty: certainty, converted: text)
    }
    if isBinary(bytes, controls) { return nil }
    if invalid == nil { return DecodedText(.utf8, hadBOM: false, certainty: 100, range: 0..<bytes.count) }
    // Text in a code page never contains zero bytes.
    if controls > 0, bytes.contains(0) { return nil }
    guard let (page, certainty) = CodePageGuess.page(of: bytes) else { return nil }
    return DecodedText(page, hadBOM: false, certainty: certainty, converted: CodePage.decode(bytes, page))
  }

  /// Passes the text to `body`, which must not keep it.
  /// - Parameter bytes: the bytes that were decoded.
  public func withText<Result, Failure: Error>(
    of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let range, range.lowerBound >= 0, range.upperBound <= bytes.count {
      return try body(UnsafeBufferPointer(rebasing: bytes[range]))
    }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, converted.count))
    defer { buffer.deallocate() }
    _ = buffer.initialize(from: converted)
    return try body(UnsafeBufferPointer(rebasing: buffer[..<converted.count]))
  }

  private init(
    _ encoding: TextEncoding, hadBOM: Bool, certainty: Int, range: Range<Int>? = nil, converted: [UInt8] = []
  ) {
    self.encoding = encoding
    self.hadBOM = hadBOM
    self.certainty = certainty
    self.range = range
    self.converted = converted
  }

  /// Returns whether control characters are so frequent that the file is binary. A stray control character does not
  /// make a file binary.
  private static func isBinary(_ bytes: Span<UInt8>, _ controls: Int) -> Bool {
    controls * 10 > bytes.count
  }
}

/// The encoding of a text file.
public enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// The Windows code page for Cyrillic.
  case windows1251 = "windows-1251"
  /// The Windows code page for Western Europe, which includes ISO 8859-1.
  case windows1252 = "windows-1252"

  /// Encodes text in this encoding.
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - hasMark: whether the result begins with a byte order mark, in Unicode encodings.
  /// - Returns: the bytes, or nil if the encoding lacks a character of the text.
  package func encode(_ text: [UInt8], hasMark: Bool) -> [UInt8]? {
    switch self {
    case .utf8: return (hasMark ? [0xEF, 0xBB, 0xBF] : []) + text
    case .utf16LittleEndian, .utf16BigEndian:
      let units = (hasMark ? [0xFEFF] : []) + Array(String(decoding: text, as: UTF8.self).utf16)
      let isLittle = self == .utf16LittleEndian
      return units.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
        return isLittle ? [low, high] : [high, low]
      }
    case .windows1251, .windows1252:
      var bytes: [UInt32: UInt8] = [:]
      for byte in UInt8.min...UInt8.max { bytes[UInt32(CodePage.scalar(byte, self))] = byte }
      var out: [UInt8] = []
      out.reserveCapacity(text.count)
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        guard let byte = bytes[scalar.value] else { return nil }
        out.append(byte)
      }
      return out
    }
  }
}

/// Recognizes and converts UTF-16.
package enum UTF16Decoder {
  /// Converts the bytes from `start` to the end.
  /// - Returns: nil if a byte is left over, a surrogate is unpaired, or there are zeros among the letters.
  package static func decode(_ bytes: Span<UInt8>, from start: Int, isLittleEndian: Bool) -> [UInt8]? {
    guard (bytes.count - start).isMultiple(of: 2) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = start
    var zeros = 0
    while at < bytes.count {
      let unit = unit(bytes, at, isLittleEndian)
      at += 2
      if unit == 0 { zeros += 1 }
      guard unit & 0xF800 == 0xD800 else {
        append(UInt32(unit), to: &out)
        continue
      }
      guard unit < 0xDC00, at < bytes.count else { return nil }
      let low = Self.unit(bytes, at, isLittleEndian)
      guard low & 0xFC00 == 0xDC00 else { return nil }
      append(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF)), to: &out)
      at += 2
    }
    return zeros * 10 > bytes.count / 2 ? nil : out
  }

  /// Determines the byte order of bytes without a byte order mark: one order yields text in European scripts, and the
  /// other yields garbage. Returns nil if neither does.
  static func recognise(_ bytes: Span<UInt8>) -> (isLittleEndian: Bool, certainty: Int)? {
    guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
    var plausible = (little: 0, big: 0)
    // A few thousand letters are enough evidence.
    let looked = min(bytes.count, 16384)
    for at in stride(from: 0, to: looked, by: 2) {
      if isPlausible(unit(bytes, at, true)) { plausible.little += 1 }
      if isPlausible(unit(bytes, at, false)) { plausible.big += 1 }
    }
    let isLittle = plausible.little >= plausible.big
    let (better, other) = isLittle ? (plausible.little, plausible.big) : (plausible.big, plausible.little)
    let all = looked / 2
    guard better * 10 >= all * 9, other * 2 < better else { return nil }
    return (isLittle, min(99, (better - other) * 100 / all))
  }

  private static func unit(_ bytes: Span<UInt8>, _ at: Int, _ isLittleEndian: Bool) -> UInt16 {
    let (first, second) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
    return isLittleEndian ? second << 8 | first : first << 8 | second
  }

  /// Returns whether a code unit is a letter of a European script, punctuation, or a surrogate, which emoji need.
  private static func isPlausible(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x24F, 0x370...0x52F, 0x2010...0x2122, 0x2500...0x27BF,
      0xD800...0xDFFF:
      true
    default: false
    }
  }

  /// Appends a Unicode scalar as UTF-8.
  static func append(_ scalar: UInt32, to out: inout [UInt8]) {
    switch scalar {
    case 0..<0x80: out.append(UInt8(scalar))
    case 0x80..<0x800:
      out.append(UInt8(0xC0 | scalar >> 6))
      out.append(UInt8(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      out.append(UInt8(0xE0 | scalar >> 12))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    default:
      out.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      out.append(UInt8(0x80 | scalar >> 12 & 0x3F))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    }
  }
}

/// Counts the bytes that text editors never write, which are the bytes with values below the tab's.
private enum ControlCharacters {
  static func count(in bytes: Span<UInt8>) -> Int {
    var count = 0
    var at = 0
    while at < bytes.count {
      if at + 8 <= bytes.count {
        let word = bytes.word(at: at)
        // Eight bytes are checked at a time: a byte has its high bit set if it is less than nine.
        if (word &- 0x0909_0909_0909_0909) & ~word & 0x8080_8080_8080_8080 == 0 {
          at += 8
          continue
        }
        for offset in at..<at + 8 where bytes[offset] < 9 { count += 1 }
        at += 8
        continue
      }
      if bytes[at] < 9 { count += 1 }
      at += 1
    }
    return count
  }
}
