import Diagnostics

/// Text does not contain paths on a person's computer.
///
/// `/Users/anna/checklist.pdf`, `C:\\boat\\engine.docx` and `file://` work only on one machine and reveal its owner's
/// name.
///
/// ```json bad /description /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "description": "See /Users/anna/Documents/engine.pdf",
///  "content_data": {"sections": [{"title": "Manual", "items": [{"title": "C:\\Boat\\manual.pdf"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Двигатель", "language": "ru", "description": "См. https://example.org/home/motor",
///  "content_data": {"sections": [{"title": "Home/Users", "items": [{"title": "\\back\\slash, 24/7, и/или"}]}]}}
/// ```
struct NoLocalPaths: Rule {
  static let code = DiagnosticCode(
    "LNT0606", "local-path", .warning, "Text contains a path on a person's computer.",
    why: "others cannot open the path, and it reveals the owner's name",
    fix: "add the file as an attachment, or remove the path")

  private static let roots = [
    "/Users/", "/home/", "/Volumes/", "/var/mobile/", "/private/var/", "file:/",
  ].map { Array($0.utf8) }

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.pathWord, .backslash]) { text in
      guard let range = Self.first(in: text.bytes.span) else { return }
      report.finding(
        "the path \(Quotation.of(text.bytes.span, range)) works only on one computer", at: text.node, in: range)
    }
  }

  private static func first(in bytes: Span<UInt8>) -> Range<Int>? {
    var isBoundary = true
    for at in 0..<bytes.count {
      let byte = bytes[at]
      if isBoundary {
        if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "f") {
          for root in roots where root[0] == byte && at + root.count < bytes.count {
            if bytes.starts(with: root.span, at: at), bytes[at + root.count] > 0x20 {
              return at..<end(bytes, at)
            }
          }
        } else if at + 3 < bytes.count, bytes[at + 1] == UInt8(ascii: ":"), bytes[at + 2] == UInt8(ascii: "\\"),
          WordComparison.isLetter(UInt32(byte)), byte > 0x40, byte < 0x80,
          WordComparison.isLetter(UInt32(bytes[at + 3]))
        {
          return at..<end(bytes, at)
        }
      }
      isBoundary =
        byte <= 0x20
        || byte < 0x80 && !WordComparison.isLetter(UInt32(byte)) && byte != UInt8(ascii: "/")
          && byte != UInt8(ascii: ".")
    }
    return nil
  }

  private static func end(_ bytes: Span<UInt8>, _ start: Int) -> Int {
    var end = start
    while end < bytes.count, end - start < 500, bytes[end] > 0x20, bytes[end] != 0x22, bytes[end] != UInt8(ascii: ")") {
      end += 1
    }
    return end
  }
}
