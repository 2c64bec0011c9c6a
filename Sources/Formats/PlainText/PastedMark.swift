/// Marks that word processors, web pages and wikis put in front of headings and items.
enum PastedMark {
  /// A mark that was found.
  struct Item {
    /// What stands behind it.
    let label: Range<Int>
    /// Whether Markdown's reader would not know it.
    let isForeign: Bool
    /// How deep it lies by its own sign: `**` of a wiki is 1.
    var depth = 0
  }

  /// Bullets that Markdown does not know, Word's own from its private letters included.
  private static let bullets: Set<UInt32> = [
    0x25E6, 0x25B8, 0x25BA, 0x25B6, 0x27A2, 0x27A4, 0x2794, 0x2192, 0x2726, 0x2605, 0x2756, 0x2043, 0x25C6, 0x25C7,
    0x25A0, 0x2666, 0xA7, 0xBB, 0x2212, 0xF0B7, 0xF0A7, 0xF0D8, 0xF0FC, 0xF076, 0xF0E8,
  ]
  /// Boxes of Word's symbol letters.
  private static let boxes: Set<UInt32> = [0xF06F, 0xF0A8, 0xF071, 0xF072]

  /// Finds the mark of an item; nil when there is none.
  static func item(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    let at = line.lowerBound
    let first = all[at]
    func behind(_ count: Int) -> Range<Int> { TextLine.trimmed(all, at + count..<line.upperBound) }
    func isBlank(_ index: Int) -> Bool { index < line.upperBound && TextLine.isSpace(all[index]) }
    let bullets = bullets, boxes = boxes
    if bullets.contains(first.value), line.count > 1 { return Item(label: behind(1), isForeign: true) }
    if boxes.contains(first.value), line.count > 1 { return Item(label: behind(1), isForeign: true) }
    switch first {
    case "-", "+":
      if isBlank(at + 1) { return Item(label: behind(1), isForeign: false) }
      // `-Milk`; `-5 °C` is none, and `--` is a dash.
      guard first == "-", line.count > 2, all[at + 1].properties.isAlphabetic else { return nil }
      return Item(label: behind(1), isForeign: true)
    case "*":
      let stars = all[line].prefix { $0 == "*" }.count
      if stars == 1, isBlank(at + 1) { return Item(label: behind(1), isForeign: false) }
      // `*Milk` and `** Milk` are a wiki's; `*Milk*` and `**Milk**` are emphasis.
      guard stars <= 6, at + stars < line.upperBound, all[line.upperBound - 1] != "*" else { return nil }
      guard stars == 1 || isBlank(at + stars) else { return nil }
      return Item(label: behind(stars), isForeign: true, depth: stars - 1)
    case "o":
      // Word's bullet of the second level.
      guard isBlank(at + 1), all[at + 1] != " " || isBlank(at + 2) else { return nil }
      return Item(label: behind(1), isForeign: true, depth: 1)
    case "•", "·", "‣", "▪", "○", "●", "–", "—", "☐", "☑", "□", "◻", "▢", "✓", "✔", "⬜", "❏", "❐", "❑", "❒", "✅":
      // Markdown's reader wants a blank behind some of them.
      return Item(
        label: behind(1), isForeign: !isBlank(at + 1) && line.count > 1 && !"☐☑".unicodeScalars.contains(first))
    case "[":
      let hasBox = line.count > 3 && all[at + 2] == "]"
      if hasBox { return Item(label: behind(3), isForeign: false) }
      // Jira's and Trello's empty box.
      return line.count > 3 && all[at + 1] == "]" ? Item(label: behind(2), isForeign: true) : nil
    case "_":
      let blanks = all[line].prefix { $0 == "_" }.count
      return blanks >= 3 && blanks < line.count ? Item(label: behind(blanks), isForeign: false) : nil
    case "(": return bracketed(all, line)
    default: return numbered(all, line) ?? blankToFill(all, line)
    }
  }

  /// Whether a line begins with a box, behind a bullet or not.
  static func isBox(_ all: [Unicode.Scalar], _ start: Int) -> Bool {
    var at = start
    if at + 2 < all.count, "-*+".unicodeScalars.contains(all[at]), TextLine.isSpace(all[at + 1]) { at += 2 }
    guard at < all.count else { return false }
    if "☐☑□◻▢⬜❏❐❑❒_".unicodeScalars.contains(all[at]) { return true }
    return all[at] == "[" && at + 2 < all.count && all[at + 2] == "]"
  }

  /// `(1) x`, `(a) x`, `( ) x`
  private static func bracketed(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    guard let close = all[line].prefix(5).firstIndex(of: ")"), close + 2 < line.upperBound,
      TextLine.isSpace(all[close + 1])
    else { return nil }
    let inner = all[line.lowerBound + 1..<close]
    let isMark =
      inner.allSatisfy { ("0"..."9").contains($0) || TextLine.isSpace($0) }
      || (inner.count == 1 && inner.allSatisfy { $0.properties.isAlphabetic })
    return isMark ? Item(label: TextLine.trimmed(all, close + 1..<line.upperBound), isForeign: true) : nil
  }

  /// `1. x` and `1) x`, which Markdown knows; `1.2 x`, `1.2. x`, `a) x`, which it does not.
  private static func numbered(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    var at = line.lowerBound
    var groups = 0
    while at < line.upperBound, ("0"..."9").contains(all[at]), groups < 5 {
      let start = at
      while at < line.upperBound, ("0"..."9").contains(all[at]), at - start < 4 { at += 1 }
      groups += 1
      guard at + 1 < line.upperBound, all[at] == ".", ("0"..."9").contains(all[at + 1]) else { break }
      at += 1
    }
    func ends(_ at: Int, _ signs: String) -> Bool {
      at + 1 < line.upperBound && signs.unicodeScalars.contains(all[at]) && TextLine.isSpace(all[at + 1])
    }
    if groups == 0 {
      guard line.count > 3, all[at].properties.isAlphabetic, ends(at + 1, ")") else { return nil }
      return Item(label: TextLine.trimmed(all, at + 2..<line.upperBound), isForeign: true)
    }
    if ends(at, ".)") {
      return Item(label: TextLine.trimmed(all, at + 1..<line.upperBound), isForeign: groups > 1, depth: groups - 1)
    }
    guard groups > 1, at < line.upperBound, TextLine.isSpace(all[at]) else { return nil }
    return Item(label: TextLine.trimmed(all, at..<line.upperBound), isForeign: true, depth: groups - 1)
  }

  /// `Diesel ____`, `Diesel ____ l`
  private static func blankToFill(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    let rest = all[line].reversed().prefix(40)
    guard let last = rest.firstIndex(of: "_"), let blank = rest[last...].prefix(while: { $0 == "_" }).count as Int?,
      blank >= 3
    else { return nil }
    return Item(label: line, isForeign: false)
  }

  /// `== Engine ==` of MediaWiki, `h2. Engine` of Confluence.
  static func wikiHeading(_ all: [Unicode.Scalar], _ line: Range<Int>) -> (level: Int, label: Range<Int>)? {
    let signs = all[line].prefix { $0 == "=" }.count
    if (1...6).contains(signs), line.count > signs * 2, all[line].suffix(signs).allSatisfy({ $0 == "=" }) {
      let label = TextLine.trimmed(all, line.lowerBound + signs..<line.upperBound - signs)
      return label.isEmpty ? nil : (signs, label)
    }
    let at = line.lowerBound
    guard line.count > 4, all[at] == "h", ("1"..."6").contains(all[at + 1]), all[at + 2] == ".",
      TextLine.isSpace(all[at + 3])
    else { return nil }
    return (Int(all[at + 1].value) - 0x30, TextLine.trimmed(all, at + 4..<line.upperBound))
  }
}
