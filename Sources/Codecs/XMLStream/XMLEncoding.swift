#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import JSONText

/// Converts XML in other encodings to UTF-8.
final class XMLEncoding {
  private let handle: iconv_t
  let isUTF16: Bool
  /// The first bytes of a character whose other bytes have not arrived yet.
  private var begun: [UInt8] = []
  /// Whether all bytes so far were valid characters.
  private(set) var isSound = true

  /// The single-byte encodings that are accepted if a text names them. iconv has more, but some of them have shift
  /// states, or other letters at the codes of XML's delimiters.
  private static let known: Set<String> = [
    "ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "ISO-8859-9", "ISO-8859-15", "KOI8-R", "KOI8-U", "US-ASCII",
    "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255", "WINDOWS-1256",
    "WINDOWS-1257", "WINDOWS-1258",
  ]

  /// Creates the single-byte encoding with this name. Returns nil if this parser or iconv does not support it.
  init?(_ name: String) {
    var name = name.uppercased()
    for prefix in ["CP", "X-CP"] where name.hasPrefix(prefix + "125") {
      name = "WINDOWS-" + name.dropFirst(prefix.count)
    }
    guard Self.known.contains(name), let handle = Self.open(name) else { return nil }
    self.handle = handle
    isUTF16 = false
  }

  private init?(isBigEndian: Bool) {
    guard let handle = Self.open(isBigEndian ? "UTF-16BE" : "UTF-16LE") else { return nil }
    self.handle = handle
    isUTF16 = true
  }

  private static func open(_ name: String) -> iconv_t? {
    iconv_open("UTF-8", name).flatMap { Int(bitPattern: $0) == -1 ? nil : $0 }
  }

  deinit { iconv_close(handle) }

  /// Returns the encoding of a text that begins with these bytes (nil for UTF-8) and the length of its byte order mark.
  /// UTF-16 without a byte order mark is recognized by its first `<`.
  ///
  /// - Source: XML 1.0, appendix F
  static func of(start: Span<UInt8>) -> (encoding: XMLEncoding?, mark: Int) {
    func starts(_ bytes: [UInt8]) -> Bool {
      start.count >= bytes.count && bytes.indices.allSatisfy { start[$0] == bytes[$0] }
    }
    if starts([0xEF, 0xBB, 0xBF]) { return (nil, 3) }
    if starts([0xFE, 0xFF]) { return (XMLEncoding(isBigEndian: true), 2) }
    if starts([0xFF, 0xFE]) { return (XMLEncoding(isBigEndian: false), 2) }
    if starts([0, 0x3C]) { return (XMLEncoding(isBigEndian: true), 0) }
    if starts([0x3C, 0]) { return (XMLEncoding(isBigEndian: false), 0) }
    return (nil, 0)
  }

  /// Returns the range of the encoding name in the XML declaration, `<?xml … ?>`, at the beginning of a text.
  static func name(in text: Span<UInt8>) -> Range<Int>? {
    guard text.starts(with: "<?xml"), text.count > 5, XMLTag.isSpace(text[5]) else { return nil }
    let line = text.extracting(first: text.firstIndex(of: 0x3E) ?? text.count)
    return XMLTag.attributes(of: line).first { line.extracting($0.name).equals("encoding") }?.value
  }

  /// Appends the next bytes as UTF-8, up to the first invalid character.
  func convert(_ bytes: Span<UInt8>, isLast: Bool = false, into text: inout ByteBuffer) {
    guard isSound else { return }
    bytes.withUnsafeBufferPointer { begun.append(contentsOf: $0) }
    var left = begun.count
    begun.withUnsafeMutableBytes { input in
      var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
      var isEnding = isLast
      while left > 0 || isEnding {
        var code: Int32 = 0
        text.append(room: 1 << 14) { room in
          var to = room.baseAddress?.assumingMemoryBound(to: CChar.self)
          var free = room.count
          // In some encodings, iconv holds back a letter until the next byte shows whether a combining mark follows.
          let isFlush = left == 0
          if isFlush { isEnding = false }
          let count = isFlush ? iconv(handle, nil, nil, &to, &free) : iconv(handle, &from, &left, &to, &free)
          if count == -1 { code = errno }
          return room.count - free
        }
        if code == EILSEQ { isSound = false }
        if code != 0, code != E2BIG { break }
      }
    }
    begun.removeFirst(begun.count - left)
    if isLast, !begun.isEmpty { isSound = false }
  }
}
