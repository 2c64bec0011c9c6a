import Foundation
import JSONText

/// A line of a manifest: a checksum, white space, and a path.
struct ManifestLine {
  /// The checksum.
  let digest: [UInt8]
  /// The path as written, without an asterisk before it.
  let path: String
  /// Whether an asterisk precedes the path.
  let hasStar: Bool

  /// Parses a line. Returns nil if it is not a manifest line.
  init?(_ line: ArraySlice<UInt8>, length: Int) {
    let digits = line.prefix { !Self.isBlank($0) }
    guard digits.count == length * 2 else { return nil }
    var digest: [UInt8] = []
    digest.reserveCapacity(length)
    var at = digits.startIndex
    while at < digits.endIndex {
      guard let high = Self.value(line[at]), let low = Self.value(line[at + 1]) else { return nil }
      digest.append(high << 4 | low)
      at += 2
    }
    var rest = line[digits.endIndex...]
    let blanks = rest.prefix(while: Self.isBlank).count
    guard blanks > 0 else { return nil }
    rest = rest.dropFirst(blanks)
    hasStar = rest.first == UInt8(ascii: "*")
    if hasStar { rest = rest.dropFirst() }
    guard !rest.isEmpty else { return nil }
    self.digest = digest
    path = String(decoding: rest, as: UTF8.self)
  }

  /// Returns the path after decoding `%0A`, `%0D` and `%25`, the only sequences that BagIt 1.0 encodes.
  static func decoded(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    let bytes = Array(path.utf8)
    var result: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count, let high = value(bytes[at + 1]),
        let low = value(bytes[at + 2]), [0x0A, 0x0D, 0x25].contains(high << 4 | low)
      {
        result.append(high << 4 | low)
        at += 3
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the reason why a path points outside the bag, or nil if it does not.
  static func problem(_ path: String) -> String? {
    let bytes = Array(path.utf8)
    guard let first = bytes.first else { return "it is empty" }
    if first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") { return "it is absolute" }
    if first == UInt8(ascii: "~") { return "it begins with ~, which means a home folder" }
    if bytes.count > 1, bytes[1] == UInt8(ascii: ":"),
      bytes.count == 2 || bytes[2] == UInt8(ascii: "\\") || bytes[2] == UInt8(ascii: "/")
    {
      return "it names a drive"
    }
    // A backslash separates folders on Windows, so there '..\\' points outside. In a shell, '\\.\\.' means '..'.
    for part in bytes.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
    where part.elementsEqual("..".utf8) { return "it contains '..' as a folder" }
    if bytes.contains(0) { return "it has a zero byte" }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}

/// Renders a bag's manifests.
enum ManifestRenderer {
  /// Returns the manifest text: `checksum  path`, one file per line, in the order of the archive.
  static func text(of members: [BagMember]) -> String {
    var text = ""
    text.reserveCapacity(members.count * 100)
    for member in members {
      text += member.sha256
      text += "  "
      text += escaped(member.path)
      text += "\n"
    }
    return text
  }

  /// Returns a path as it is written in a manifest: characters that would end the line are percent-encoded.
  static func escaped(_ path: String) -> String {
    guard path.utf8.contains(where: { $0 == 0x25 || $0 == 0x0A || $0 == 0x0D }) else { return path }
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case 0x25: bytes += "%25".utf8
      case 0x0A: bytes += "%0A".utf8
      case 0x0D: bytes += "%0D".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

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
      guard UTF8Check.firstInvalid(in: text.span) == nil else { return nil }
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
