import Diagnostics

/// Text is read in the encoding in which it was written.
///
/// `Ã©` for é, `ÐŸÑ€Ð¾` or `РџСЂРѕ` for Про, `â€™` for an apostrophe, and � appear when a program reads the bytes in
/// another encoding.
///
/// ```json bad /title /description
/// {"content_type": "checklist", "title": "ÐŸÑ€Ð¾Ð²ÐµÑ€ÐºÐ°", "description": "The skipperâ€™s list, 5Â° heel",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /title /description
/// {"content_type": "checklist", "title": "РџСЂРѕРІРµСЂРєР°", "description": "caf\ufffd", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Âncora, pão, Ñandú, à l’arrière", "description": "ВЕТЕР С° и С «румба»",
///  "language": "pt", "content_data": {"sections": []}}
/// ```
struct NoMojibake: Rule {
  static let code = DiagnosticCode(
    "LNT0411", "mojibake", .warning, "Text was read in the wrong encoding.",
    why: "people cannot read the text", fix: "copy the text from its source again, as UTF-8")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .mojibake) { text in
      guard let place = Mojibake.first(in: text.bytes.span) else { return }
      let (scalar, _) = UTF8Reader.scalar(text.bytes.span, place.lowerBound)
      report.finding(
        scalar == 0xFFFD
          ? "a character of the text is lost (�)"
          : "\(Quotation.of(text.bytes.span, place)) is text that was read in the wrong encoding",
        at: text.node, in: place)
    }
  }
}

/// Finds text that a program read in the wrong encoding.
enum Mojibake {
  /// Returns the first range that is certainly mojibake, up to the end of its run.
  static func first(in bytes: Span<UInt8>) -> Range<Int>? {
    var at = 0
    while at < bytes.count {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      if scalar == 0xFFFD { return at..<at + length }
      if scalar >= 0xC2 {
        var end = at
        var pairs = 0
        while pairs < 12, let next = pair(bytes, end) {
          end = next
          pairs += 1
        }
        if pairs >= fewest(scalar) { return at..<end }
      }
      at += length
    }
    return nil
  }

  /// Returns the minimum number of adjacent pairs. Pairs that occur in a real language need more.
  private static func fewest(_ scalar: UInt32) -> Int {
    switch scalar {
    case 0xD0, 0xD1: 2
    case 0x420, 0x421: 3
    default: 1
    }
  }

  /// Returns the position after two or three characters that were originally one, or nil.
  private static func pair(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    guard at < bytes.count else { return nil }
    let (first, length) = UTF8Reader.scalar(bytes, at)
    let second = at + length
    guard second < bytes.count else { return nil }
    let (next, nextLength) = UTF8Reader.scalar(bytes, second)
    let end = second + nextLength
    switch first {
    // Â and Ã begin a Latin letter or sign. A capital followed by a sign is not a word; “à «” has a blank in between.
    case 0xC2: return (0xA0..<0xC0).contains(next) ? end : nil
    case 0xC3: return (0x80..<0xC0).contains(next) || western(next) ? end : nil
    // Ð and Ñ begin a Cyrillic letter.
    case 0xD0, 0xD1: return (0x80..<0xC0).contains(next) || western(next) ? end : nil
    // â€ begins a quotation mark or dash.
    case 0xE2: return next == 0x20AC ? end : nil
    // ï»¿ is the byte order mark.
    case 0xEF: return next == 0xBB ? end : nil
    // Р and С begin a Cyrillic letter that was read as Windows-1251.
    case 0x420, 0x421: return cyrillic(next) ? end : nil
    default: return nil
    }
  }

  /// Whether Windows-1252 maps a byte of 0x80…0x9F to the scalar.
  private static func western(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20AC, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x17D, 0x2018,
      0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x17E, 0x178:
      true
    default: false
    }
  }

  /// Whether Windows-1251 maps a byte of 0x80…0xBF to the scalar.
  private static func cyrillic(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x402...0x40F, 0x452...0x45F, 0x490, 0x491, 0x401, 0x451, 0x2116: true
    case 0xA0, 0xA4, 0xA6, 0xA7, 0xA9, 0xAB...0xAE, 0xB0, 0xB1, 0xB5...0xB7, 0xBB: true
    default: western(scalar)
    }
  }
}
