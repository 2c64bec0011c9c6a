import Foundation

/// The lines of a tag file in the encoding that a bag declares.
///
/// Lines are split while they are read, because a hostile file may have millions of lines.
struct TagFileLines: Sequence {
  /// The text in UTF-8.
  let text: [UInt8]
  /// Whether the file began with a UTF-8 byte order mark, which is not allowed in tag files.
  let hasMark: Bool

  /// Reads a tag file. Returns nil if it is not text in the given encoding.
  init?(_ bytes: [UInt8], encoding: String) {
    var text = bytes
    var hasMark = false
    switch encoding.uppercased() {
    case "UTF-8", "UTF8", "US-ASCII", "ASCII":
      if text.starts(with: [0xEF, 0xBB, 0xBF]) {
        hasMark = true
        text.removeFirst(3)
      }
      guard text.withUnsafeBufferPointer({ Self.isText($0) }) else { return nil }
    default:
      guard let decoded = Self.decode(bytes, encoding.uppercased()) else { return nil }
      text = decoded
    }
    self.hasMark = hasMark
    self.text = text
  }

  /// Returns whether an encoding is supported.
  static func knows(_ encoding: String) -> Bool { TagFileLines([], encoding: encoding) != nil }

  /// Returns an iterator over the lines with their numbers from 1. There is no empty line after the last line end.
  func makeIterator() -> Lines { Lines(text: text) }

  /// Iterates over the lines without their line ends, which may be LF, CR or CRLF.
  struct Lines: IteratorProtocol {
    fileprivate let text: [UInt8]
    private var at = 0
    private var number = 0

    fileprivate init(text: [UInt8]) { self.text = text }

    mutating func next() -> (number: Int, bytes: ArraySlice<UInt8>)? {
      guard at < text.count else { return nil }
      let start = at
      while at < text.count, text[at] != 0x0A, text[at] != 0x0D { at += 1 }
      let line = text[start..<at]
      if at < text.count { at += text[at] == 0x0D && at + 1 < text.count && text[at + 1] == 0x0A ? 2 : 1 }
      number += 1
      return (number, line)
    }
  }

  /// Returns whether bytes are UTF-8. ASCII, by far the most frequent case, is detected without creating a string.
  private static func isText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  private static func decode(_ bytes: [UInt8], _ encoding: String) -> [UInt8]? {
    let name: String.Encoding
    switch encoding {
    case "UTF-16":
      // UTF-16 without a byte order mark is big-endian (RFC 2781). Little-endian text from Windows is recognized by its
      // zero bytes.
      if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        name = bytes[0] == 0xFF ? .utf16LittleEndian : .utf16BigEndian
        return decode(Array(bytes.dropFirst(2)), name)
      }
      name = bytes.count > 1 && bytes[0] != 0 && bytes[1] == 0 ? .utf16LittleEndian : .utf16BigEndian
    case "UTF-16LE": name = .utf16LittleEndian
    case "UTF-16BE": name = .utf16BigEndian
    case "UTF-32": name = .utf32
    case "ISO-8859-1", "ISO8859-1", "LATIN1", "LATIN-1":
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count)
      for byte in bytes {
        if byte < 0x80 { text.append(byte) } else { text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
      }
      return text
    case "ISO-8859-2": name = .isoLatin2
    case "WINDOWS-1250", "CP1250": name = .windowsCP1250
    case "WINDOWS-1251", "CP1251": name = .windowsCP1251
    case "WINDOWS-1252", "CP1252": name = .windowsCP1252
    case "SHIFT_JIS", "SHIFT-JIS": name = .shiftJIS
    case "EUC-JP": name = .japaneseEUC
    default: return nil
    }
    return decode(bytes, name)
  }

  private static func decode(_ bytes: [UInt8], _ encoding: String.Encoding) -> [UInt8]? {
    if bytes.isEmpty { return [] }
    if encoding == .utf16LittleEndian || encoding == .utf16BigEndian, bytes.count % 2 != 0 { return nil }
    return String(bytes: bytes, encoding: encoding).map { Array($0.utf8) }
  }
}
