import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText

/// The encoding of a file, detected in one pass, and the file's content as UTF-8.
///
/// `DecodedText` detects the encoding from a sample. The file is read in pieces, so that its size does not matter.
struct EncodedText {
  private(set) var encoding = TextEncoding.utf8
  private(set) var hadBOM = false
  private(set) var certainty = 100
  /// Whether the file is UTF-8 with some invalid bytes.
  private(set) var isDamaged = false
  private(set) var hasZeros = false

  private static let piece = 1 << 20
  private let descriptor: Int32
  private let name: String

  /// Examines a file.
  /// - Throws: `RunFailure` if the file cannot be read or is not text.
  init(descriptor: Int32, name: String) throws {
    self.descriptor = descriptor
    self.name = name
    var head = ByteBuffer(capacity: Self.piece)
    try DelimitedSource.read(descriptor, at: 0, count: Self.piece, into: &head, name: name)
    let isWhole = head.count < Self.piece
    if !isWhole { head.truncate(to: Self.wholeCharacters(head.bytes.span)) }
    if let decoded = DecodedText.decode(head.bytes.span) {
      apply(decoded)
    } else if !Self.isDamagedUTF8(head.bytes.span) {
      throw noText()
    }
    guard encoding == .utf8 else { return }
    let invalid = try firstInvalid(from: hadBOM ? 3 : 0)
    guard let invalid else { return }
    if invalid < head.count || Self.isUTF8(head.bytes.span) {
      isDamaged = true
      return
    }
    // The file may begin with a megabyte of ASCII before the first letter of a code page.
    var sample = ByteBuffer(capacity: Self.piece)
    try DelimitedSource.read(
      descriptor, at: max(0, invalid - Self.piece / 4), count: Self.piece, into: &sample, name: name)
    if let decoded = DecodedText.decode(sample.bytes.span), decoded.encoding != .utf8 {
      apply(decoded)
    } else {
      isDamaged = true
    }
  }

  private mutating func apply(_ decoded: DecodedText) {
    encoding = decoded.encoding
    hadBOM = decoded.hadBOM
    certainty = decoded.certainty
  }

  private func noText() -> RunFailure {
    RunFailure(
      .failed,
      Diagnostic(
        .tableIsNoText, "this is not text in UTF-8, UTF-16, windows-1251 or windows-1252", at: Place(file: name)),
      message: "read '\(name)': not text in UTF-8, UTF-16, windows-1251 or windows-1252")
  }

  // MARK: - UTF-8

  /// Reads the file as UTF-8 and also looks for zero bytes.
  /// - Returns: the offset of the first invalid byte.
  private mutating func firstInvalid(from start: Int) throws -> Int? {
    var buffer = ByteBuffer(capacity: Self.piece)
    var offset = start
    var found: Int?
    while true {
      buffer.removeAll()
      try DelimitedSource.read(descriptor, at: offset, count: Self.piece, into: &buffer, name: name)
      if buffer.count == 0 { return found }
      if !hasZeros, buffer.bytes.span.contains(0) { hasZeros = true }
      // The search for zero bytes continues to the end; the search for invalid bytes stops at the first one.
      if found == nil, let invalid = UTF8Check.firstInvalid(in: buffer.bytes.span) {
        if invalid > 0, invalid >= buffer.count - 3, buffer.count == Self.piece {
          offset += invalid
          continue
        }
        found = offset + invalid
      }
      if found != nil, hasZeros { return found }
      offset += buffer.count
    }
  }

  /// Returns the length to which the long beginning of a file can be cut without splitting a character.
  private static func wholeCharacters(_ bytes: Span<UInt8>) -> Int {
    var end = bytes.count
    // UTF-16 has characters of two bytes, or of four bytes that begin with a high surrogate.
    let mark = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    if bytes.extracting(first: 4096).contains(where: { $0 < 9 }) || mark == 0xFFFE || mark == 0xFEFF {
      end -= end % 2
      let isHigh = bytes[end - 1] & 0xFC == 0xD8 || bytes[end - 2] & 0xFC == 0xD8
      return isHigh ? end - 2 : end
    }
    while end > bytes.count - 3, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
    return bytes[end - 1] >= 0xC0 ? end - 1 : bytes.count
  }

  /// Returns whether bytes are valid UTF-8 and contain letters beyond ASCII.
  private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    bytes.contains { $0 >= 0x80 } && UTF8Check.firstInvalid(in: bytes) == nil
  }

  /// Returns whether UTF-8 letters greatly outnumber invalid bytes in bytes that otherwise look like text.
  private static func isDamagedUTF8(_ bytes: Span<UInt8>) -> Bool {
    var (letters, broken, controls, at) = (0, 0, 0, 0)
    while at < bytes.count {
      if bytes[at] < 0x80 {
        if bytes[at] < 9 { controls += 1 }
        at += 1
        continue
      }
      let length = UTF8Check.sequenceLength(in: bytes, at: at)
      if length == 0 { broken += 1 } else { letters += 1 }
      at += max(1, length)
    }
    return controls * 10 <= bytes.count && broken > 0 && letters >= 3 && letters > 4 * broken
  }

  // MARK: - Other encodings

  /// Opens the file as UTF-8.
  /// - Returns: the file's own descriptor if the file is UTF-8; otherwise the descriptor of a converted copy.
  /// - Throws: `RunFailure` if the file cannot be read or turns out not to be text.
  func utf8() throws -> Int32 {
    guard encoding != .utf8 else { return descriptor }
    let spool = try UnlinkedFile.descriptor()
    do {
      let sink = ByteSink(descriptor: spool, name: "a temporary file")
      var buffer = ByteBuffer(capacity: Self.piece)
      var offset = hadBOM ? 2 : 0
      let size = DelimitedSource.size(of: descriptor)
      while offset < size {
        buffer.removeAll()
        try DelimitedSource.read(descriptor, at: offset, count: Self.piece, into: &buffer, name: name)
        guard buffer.count > 0 else { break }
        let converted = try convert(&buffer, isLast: offset + buffer.count >= size)
        try sink.write(converted.span)
        offset += buffer.count
      }
      try sink.flush()
    } catch {
      close(spool)
      throw error
    }
    return spool
  }

  private func convert(_ buffer: inout ByteBuffer, isLast: Bool) throws -> [UInt8] {
    switch encoding {
    case .utf8: return Array(buffer.bytes)
    case .windows1251, .windows1252: return CodePage.decode(buffer.bytes.span, encoding)
    case .utf16LittleEndian, .utf16BigEndian:
      let isLittle = encoding == .utf16LittleEndian
      if !isLast, buffer.bytes[buffer.count - (isLittle ? 1 : 2)] & 0xFC == 0xD8 {
        buffer.truncate(to: buffer.count - 2)
      }
      guard let text = UTF16Decoder.decode(buffer.bytes.span, from: 0, isLittleEndian: isLittle) else { throw noText() }
      return text
    }
  }

  /// Encodes text in its original encoding, which can represent every character in the text.
  static func encode(_ text: Span<UInt8>, _ encoding: TextEncoding) -> [UInt8] {
    switch encoding {
    case .utf8: return Array(text)
    case .utf16LittleEndian:
      return String(decoding: text).utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    case .utf16BigEndian:
      return String(decoding: text).utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    case .windows1251, .windows1252:
      var bytes: [UInt32: UInt8] = [:]
      for byte in UInt8.min...UInt8.max { bytes[UInt32(CodePage.scalar(byte, encoding))] = byte }
      return String(decoding: text).unicodeScalars.map { bytes[$0.value] ?? UInt8(ascii: "?") }
    }
  }
}

extension DiagnosticCode {
  /// A table that is not text.
  public static let tableIsNoText = DiagnosticCode(
    "TBL0201", "table-is-no-text", .error, "A table is not text in a supported encoding.",
    why: "its letters would be mistaken for other letters",
    fix: "save it as CSV in UTF-8, or as .xlsx if it is a workbook")
  /// A table in an encoding other than UTF-8.
  public static let tableEncoding = DiagnosticCode(
    "TBL0202", "table-encoding", .note, "A table is not in UTF-8; its encoding was detected.",
    why: "a text file does not name its code page, so the detected one may be wrong",
    fix: "check a title with letters beyond ASCII; if it is wrong, save the table as CSV in UTF-8")

  /// The codes of findings about delimited text.
  package static let delimited = [
    tableIsNoText, tableEncoding,
  ]
}
