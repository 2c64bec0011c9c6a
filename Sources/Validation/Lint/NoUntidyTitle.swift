import Content
import Diagnostics

/// Titles have no blanks at the beginning or end and no double blanks inside.
///
/// Such blanks are invisible in the app, but searches and merges treat titles that differ only in blanks as different.
/// `--fix` removes them. A section whose title is the item's title is not reported separately.
///
/// ```json bad /title /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Leaving the berth ", "content_data": {"sections": [
///   {"title": "Below", "items": [{"title": "Seacocks  open"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/title
/// {"content_type": "checklist", "title": "Отход", "content_data": {"sections": [
///   {"title": "\u00A0Внизу", "items": [{"title": "Кингстоны открыты"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Отход", "content_data": {"sections": [
///   {"title": "Внизу", "items": [{"title": "Кингстоны открыты !"}]}]}}
/// ```
struct NoUntidyTitle: Rule {
  static let code = DiagnosticCode(
    "LNT0213", "untidy-title", .note, "A title has blanks at the beginning or end, or double blanks inside.",
    why: "the blanks are invisible, but searches and merges treat the title as a different one",
    fix: "delete the blanks")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    checkTitle(item.title, report)
    for section in item.sections {
      // A section without its own title has the item's title, which is reported and corrected once, with the item.
      if !Self.isSame(section.title, item.title) { checkTitle(section.title, report) }
      for index in section.steps { checkTitle(item.steps[index].title, report) }
    }
  }

  private static func isSame(_ left: OutlineText?, _ right: OutlineText?) -> Bool {
    guard let left, let right else { return false }
    return left.bytes.elementsEqual(right.bytes)
  }

  private func checkTitle(_ title: OutlineText?, _ report: RuleReport) {
    guard let title, let first = title.bytes.first, let last = title.bytes.last,
      // No-break and other wide spaces begin with C2, E1, E2 or E3 and end above 7F.
      Self.maySpace(first) || last <= 0x20 || last >= 0x80 && title.bytes.count > 1 && Self.endsWide(title.bytes.span)
        || Self.hasDouble(title.bytes.span),
      !title.isBlank
    else { return }
    let text = title.string
    let tidy = Self.tidied(text)
    guard tidy.utf8.count != text.utf8.count else { return }
    let hasEnds = text.first?.isWhitespace ?? false || text.last?.isWhitespace ?? false
    report.finding(
      hasEnds
        ? "the title \(title.quoted) has blanks at the beginning or end"
        : "the title \(title.quoted) has two blanks in a row",
      at: title.node, edit: .text(tidy))
  }

  private static func maySpace(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0xC2 || (0xE1...0xE3).contains(byte)
  }

  /// Whether the last character may be a wide space: two or three bytes that begin with one of the bytes above.
  private static func endsWide(_ bytes: Span<UInt8>) -> Bool {
    let count = bytes.count
    return bytes[count - 2] == 0xC2 || count > 2 && (0xE1...0xE3).contains(bytes[count - 3])
  }

  /// Whether two spaces are adjacent. Reads eight bytes at a time.
  private static func hasDouble(_ bytes: Span<UInt8>) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var at = 0
    while at + 8 <= bytes.count {
      let word = bytes.word(at: at) ^ (ones &* 0x20)
      let zeros = (word &- ones) & ~word & (ones &* 0x80)
      // A borrow can also mark a byte above a space; the slow check below decides.
      if zeros & (zeros >> 8) != 0 { return hasDoubleSlowly(bytes) }
      at += 7
    }
    while at + 1 < bytes.count {
      if bytes[at] == 0x20, bytes[at + 1] == 0x20 { return true }
      at += 1
    }
    return false
  }

  private static func hasDoubleSlowly(_ bytes: Span<UInt8>) -> Bool {
    for at in 1..<max(1, bytes.count) where bytes[at] == 0x20 && bytes[at - 1] == 0x20 { return true }
    return false
  }

  private static func tidied(_ text: String) -> String {
    var out = ""
    for character in text.trimmed {
      if character == " ", out.last == " " { continue }
      out.append(character)
    }
    return out
  }
}
