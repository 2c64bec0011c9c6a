import Diagnostics
import MarkdownSyntax

/// Text contains no personal e-mail address or telephone number.
///
/// Office addresses (`info@`, `marina@`) and telephone numbers of services are meant to be public. Other addresses and
/// numbers belong to a person, whose permission you should ask for.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Deposit", "content_data": {"sections": [
///   {"title": "Owner", "items": [{"title": "Write to anna.k@gmail.com"}, {"title": "Петрос: +30 694 412 3456"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Numbers", "content_data": {"sections": [
///   {"title": "Help", "items": [{"title": "MRCC Piraeus +30 210 411 2500, VHF 16"}, {"title": "info@marina.example.com"},
///     {"title": "Course +15 degrees, 112, heel 5@20"}]}]}}
/// ```
struct NoPersonalData: Rule {
  static let code = DiagnosticCode(
    "LNT0603", "personal-data", .note, "Text contains an e-mail address or a telephone number.",
    why: "anyone can read published text and contact the person",
    fix: "remove the address or number unless its owner agrees")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.at, .manyDigits]) { text in
      guard let (range, isMail) = PersonalData.first(in: text.bytes.span) else { return }
      report.finding(
        isMail ? "this is a personal e-mail address" : "this looks like a personal telephone number", at: text.node,
        in: range)
    }
  }
}

/// Finds personal e-mail addresses and telephone numbers.
enum PersonalData {
  private static let offices: Set<String> = [
    "info", "office", "contact", "booking", "bookings", "reservations", "support", "marina", "port", "harbour",
    "charter",
    "base", "sales", "hello", "admin", "help", "service", "mail", "rescue", "mrcc", "reception", "noreply",
  ]
  /// Words that mark a telephone number on the same line as public.
  private static let services = [
    "mrcc", "jrcc", "mrsc", "coast guard", "coastguard", "harbour", "harbor", "marina", "port", "base", "office",
    "hospital", "police", "customs", "emergency", "rescue", "towing", "medical", "мскц", "спасат", "охран", "марин",
    "порт", "база", "базы", "офис", "больниц", "полици", "скор",
  ]

  /// Returns the first address or number, and whether it is an address.
  static func first(in bytes: Span<UInt8>) -> (Range<Int>, isMail: Bool)? {
    var at = sign(in: bytes, from: 0)
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "@"), let range = mail(bytes, at) { return (range, true) }
      if bytes[at] == UInt8(ascii: "+"),
        at == 0 || !WordComparison.isLetter(UInt32(bytes[at - 1])) || bytes[at - 1] >= 0x80,
        let range = telephone(bytes, at)
      {
        return (range, false)
      }
      at = sign(in: bytes, from: at + 1)
    }
    return nil
  }

  private static func sign(in bytes: Span<UInt8>, from start: Int) -> Int {
    ByteSearch.first(in: bytes, from: start, to: bytes.count) {
      ByteSearch.equal($0, UInt8(ascii: "@")) | ByteSearch.equal($0, UInt8(ascii: "+"))
    }
  }

  private static func mail(_ bytes: Span<UInt8>, _ at: Int) -> Range<Int>? {
    var start = at
    while start > 0, at - start < 64, isMailPart(bytes[start - 1]) { start -= 1 }
    var end = at + 1
    var dot: Int?
    while end < bytes.count, end - at < 255, isMailPart(bytes[end]) {
      if bytes[end] == UInt8(ascii: ".") { dot = end }
      end += 1
    }
    while end > at, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
    if let last = dot, last >= end {
      dot = bytes.extracting(at..<end).lastIndex { $0 == UInt8(ascii: ".") }.map { at + $0 }
    }
    guard start < at, let dot, dot > at + 1, end - dot > 2, bytes[dot + 1] >= 0x41 else { return nil }
    let name = UTF8Reader.string(bytes, start..<at).lowercased()
    let domain = UTF8Reader.string(bytes, at + 1..<end).lowercased()
    guard !offices.contains(name), !domain.hasPrefix("example.") else { return nil }
    return start..<end
  }

  private static func isMailPart(_ byte: UInt8) -> Bool {
    byte < 0x80 && WordComparison.isLetter(UInt32(byte)) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "%")
  }

  /// - Source: E.164: a plus sign and at most fifteen digits
  private static func telephone(_ bytes: Span<UInt8>, _ start: Int) -> Range<Int>? {
    var digits = 0
    var at = start + 1
    var end = at
    while at < bytes.count, at - start < 40 {
      switch bytes[at] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        end = at + 1
      case 0x20, UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"): break
      default:
        at = bytes.count
        continue
      }
      at += 1
    }
    guard digits >= 9, digits <= 15, start + 1 < bytes.count, bytes[start + 1] &- 0x31 < 9 || bytes[start + 1] == 0x28,
      !isService(bytes, start..<end)
    else { return nil }
    return start..<end
  }

  private static func isService(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var start = range.lowerBound
    while start > 0, range.lowerBound - start < 200, bytes[start - 1] != 0x0A { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, end - range.upperBound < 100, bytes[end] != 0x0A { end += 1 }
    let line = UTF8Reader.string(bytes, start..<end).lowercased()
    return services.contains { line.contains($0) }
  }
}
