import JSONText

/// The text of a file as UTF-8 without a byte order mark, and how the file wrote it.
///
/// UTF-8 is not copied: its text is a stretch of the file's bytes. Everything else is converted. Time and memory are
/// linear in the file.
public struct DecodedText: Sendable {
  /// How the file wrote it.
  public let encoding: TextEncoding
  /// Whether a byte order mark stood in front.
  public let hadBOM: Bool
  /// How sure the encoding is, in percent; 100 for valid UTF-8 and for byte order marks.
  public let certainty: Int
  /// Where the text lies in the file's bytes when it is UTF-8 already; nil when it was converted.
  public let range: Range<Int>?
  /// The text when it was converted, else empty.
  public let converted: [UInt8]

  /// Finds out how a file is written: a byte order mark, else UTF-16 that looks like text, else valid UTF-8, else
  /// the Windows code page whose letters make words.
  ///
  /// - Returns: nil for what is no text: many control characters, broken UTF-16, UTF-8 with a few broken bytes in it
  ///   (any code page would turn all of its letters into rubbish), and Cyrillic of other code pages than Windows'.
  public static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText? {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      let rest = UnsafeBufferPointer(rebasing: bytes[3...])
      guard UTF8Check.firstInvalid(in: rest) == nil, !isBinary(rest, ControlCharacters.count(in: rest)) else {
        return nil
      }
      return DecodedText(.utf8, hadBOM: true, certainty: 100, range: 3..<bytes.count)
    }
    if bytes.count >= 2, bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE {
      let isLittle = bytes[0] == 0xFF
      guard let text = UTF16Text.decode(bytes, from: 2, isLittleEndian: isLittle) else { return nil }
      return DecodedText(
        isLittle ? .utf16LittleEndian : .utf16BigEndian, hadBOM: true, certainty: 100, converted: text)
    }
    let controls = ControlCharacters.count(in: bytes)
    let invalid = UTF8Check.firstInvalid(in: bytes)
    if controls == 0, invalid == nil { return DecodedText(.utf8, hadBOM: false, certainty: 100, range: bytes.indices) }
    // Without control characters (the zeros of ASCII, the fours of Cyrillic) nothing speaks for UTF-16.
    if controls > 0, let (isLittle, certainty) = UTF16Text.recognise(bytes),
      let text = UTF16Text.decode(bytes, from: 0, isLittleEndian: isLittle)
    {
      return DecodedText(
        isLittle ? .utf16LittleEndian : .utf16BigEndian, hadBOM: false, certainty: certainty, converted: text)
    }
    if isBinary(bytes, controls) { return nil }
    if invalid == nil { return DecodedText(.utf8, hadBOM: false, certainty: 100, range: bytes.indices) }
    // The old code pages have no use for zeros at all.
    if controls > 0, bytes.contains(0) { return nil }
    guard let (page, certainty) = CodePageGuess.page(of: bytes) else { return nil }
    return DecodedText(page, hadBOM: false, certainty: certainty, converted: CodePage.decode(bytes, page))
  }

  /// Gives the text to `body`, which must not keep it.
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

  /// A stray control character makes no program of a note.
  private static func isBinary(_ bytes: UnsafeBufferPointer<UInt8>, _ controls: Int) -> Bool {
    controls * 10 > bytes.count
  }
}
