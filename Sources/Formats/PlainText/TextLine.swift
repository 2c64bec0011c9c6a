/// A line of a pasted text: its form, and its text without marks.
struct TextLine {
  /// The form of a line.
  enum Form: Equatable {
    case blank
    /// A rule that underlines the line above or divides the text: `-----`, `=====`, `* * *`.
    case rule(Unicode.Scalar)
    /// A marked heading: `== Engine ==`, `h2. Engine`, `ENGINE`.
    case heading(level: Int)
    /// An item with a mark that the Markdown reader recognizes: `- x`, `1. x`, `• x`, `x ____`.
    case item
    /// An item with a mark from a word processor or a wiki. The text after the mark is the item.
    case foreignItem(depth: Int)
    /// `# x`: a heading in Markdown, or a numbered item in a wiki.
    case hash(count: Int)
    case text
  }

  /// The line without its line break, as Unicode scalars.
  let scalars: [Unicode.Scalar]
  /// The line's indentation. A tab counts as four spaces.
  let indentation: Int
  /// The number of scalars before the first one that is not white space.
  let start: Int
  /// The line's form.
  let form: Form
  /// The part of `scalars` that is the text of a heading or an item.
  let label: Range<Int>
  /// The item's box; nil if the line has no box.
  let box: PastedMark.Box?

  /// Analyzes a line.
  init(_ text: Substring.UnicodeScalarView) {
    scalars = Array(text)
    var start = 0
    var indentation = 0
    while start < scalars.count, Self.isSpace(scalars[start]) {
      indentation +=
        scalars[start] == "\t" ? 4 : scalars[start].value == 0x200B || scalars[start].value == 0xFEFF ? 0 : 1
      start += 1
    }
    var end = scalars.count
    while end > start, Self.isSpace(scalars[end - 1]) { end -= 1 }
    self.start = start
    self.indentation = indentation
    (form, label, box) = Self.classify(scalars, start..<end)
  }

  /// The line's text in lower case, without a comma, colon or exclamation mark at its end.
  var words: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<max(start, label.upperBound)])
    var words = String(text).lowercased()
    while let last = words.last, ",:!. ".contains(last) { words.removeLast() }
    return words
  }

  /// Whether the line is an item.
  var isItem: Bool {
    switch form {
    case .item, .foreignItem: true
    default: false
    }
  }

  /// Whether the line is a Markdown list item without changes: `- x`, `1. x`.
  var isKnownList: Bool {
    form == .item && start < scalars.count
      && ("-*+".unicodeScalars.contains(scalars[start]) || ("0"..."9").contains(scalars[start]))
      && label.lowerBound > start
  }

  /// Whether the line's mark is a blank to fill in, before or after the text.
  var isBlankToFill: Bool {
    form == .item && !isKnownList && (box == .open || label.lowerBound == start)
  }

  /// Whether the line has no text because it is blank or a rule.
  var isEmpty: Bool {
    switch form {
    case .blank, .rule: true
    default: false
    }
  }

  /// Whether a scalar is any kind of space, including non-breaking and zero-width spaces.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0x09, 0x0B, 0x0C, 0x0D, 0xA0, 0x2000...0x200B, 0x202F, 0x205F, 0x3000, 0xFEFF: true
    default: false
    }
  }

  private static func classify(_ all: [Unicode.Scalar], _ line: Range<Int>) -> (Form, Range<Int>, PastedMark.Box?) {
    guard let first = line.first.map({ all[$0] }) else { return (.blank, line, nil) }
    if let sign = rule(all, line) { return (.rule(sign), line, nil) }
    if let found = PastedMark.wikiHeading(all, line) { return (.heading(level: found.level), found.label, nil) }
    if first == "#" {
      let count = all[line].prefix { $0 == "#" }.count
      let label = trimmed(all, line.lowerBound + count..<line.upperBound)
      return label.isEmpty || (count == 1 && label.lowerBound == line.lowerBound + 1)
        ? (.text, line, nil) : (.hash(count: count), label, nil)
    }
    if let found = PastedMark.item(all, line) {
      return (found.isForeign ? .foreignItem(depth: found.depth) : .item, found.label, found.box)
    }
    if isCapitals(all, line) {
      let last = all[line.upperBound - 1]
      return (.heading(level: 2), last == ":" ? trimmed(all, line.lowerBound..<line.upperBound - 1) : line, nil)
    }
    return (.text, line, nil)
  }

  private static func rule(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Unicode.Scalar? {
    let first = all[line.lowerBound]
    guard "-=~*_─═".unicodeScalars.contains(first) else { return nil }
    var signs = 0
    for scalar in all[line] {
      if scalar == first { signs += 1 } else if !isSpace(scalar) { return nil }
    }
    return signs >= 3 ? first : nil
  }

  /// Whether a line is in capitals, as headings in printed lists are. A single short word does not count, because it
  /// may be a name such as `VHF`.
  private static func isCapitals(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Bool {
    guard line.count >= 4, line.count <= 70 else { return false }
    var letters = 0
    for scalar in all[line] {
      if scalar.properties.isLowercase { return false }
      if scalar.properties.isUppercase { letters += 1 }
    }
    return letters >= 4 && letters * 2 >= line.count
  }

  static func trimmed(_ all: [Unicode.Scalar], _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
    while start < end, isSpace(all[start]) { start += 1 }
    while end > start, isSpace(all[end - 1]) { end -= 1 }
    return start..<end
  }
}

/// Finds the marks that word processors, web pages and wikis put before headings and items.
enum PastedMark {
  /// An item's mark.
  struct Item {
    /// The text after the mark.
    var label: Range<Int>
    /// Whether the Markdown reader does not recognize the mark.
    let isForeign: Bool
    /// The item's depth according to its mark: 1 for a wiki's `**`.
    var depth = 0
    /// The state of the item's box; nil if the item has no box.
    var box: Box?
  }

  /// The state of a box.
  enum Box {
    /// An open box: `[ ]`, `[]`, `☐`, `____`.
    case open
    /// A ticked box: `[x]`, `☑`, `☒`.
    case ticked
    /// A tick without a box: `✓`, `✔`, `✅`. It counts as a ticked box if the text also has open boxes, and as a bullet
    /// otherwise.
    case tick
  }

  /// The bullets that are not Markdown, including Word's private-use bullets.
  private static let bullets: Set<UInt32> = [
    0x25E6, 0x25B8, 0x25BA, 0x25B6, 0x27A2, 0x27A4, 0x2794, 0x2192, 0x2726, 0x2605, 0x2756, 0x2043, 0x25C6, 0x25C7,
    0x25A0, 0x2666, 0xA7, 0xBB, 0x2212, 0xF0B7, 0xF0A7, 0xF0D8, 0xF0FC, 0xF076, 0xF0E8,
  ]
  /// The boxes in Word's symbol fonts.
  private static let boxes: Set<UInt32> = [0xF06F, 0xF0A8, 0xF071, 0xF072]

  /// Returns an item's mark and the box after its bullet or number; nil if the line has no mark.
  static func item(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    guard var item = mark(all, line) else { return nil }
    if item.box == nil, item.label.lowerBound > line.lowerBound, let (box, length) = box(all, item.label) {
      item.box = box
      item.label = TextLine.trimmed(all, item.label.lowerBound + length..<item.label.upperBound)
    }
    item.label = withoutBlank(all, item.label)
    return item
  }

  private static func mark(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    let at = line.lowerBound
    let first = all[at]
    func behind(_ count: Int) -> Range<Int> { TextLine.trimmed(all, at + count..<line.upperBound) }
    func isBlank(_ index: Int) -> Bool { index < line.upperBound && TextLine.isSpace(all[index]) }
    let bullets = bullets
    if let (box, length) = box(all, line) { return Item(label: behind(length), isForeign: true, box: box) }
    if bullets.contains(first.value), line.count > 1 { return Item(label: behind(1), isForeign: true) }
    switch first {
    case "-", "+":
      if isBlank(at + 1) { return Item(label: behind(1), isForeign: false) }
      // `-Milk` is an item, `-5 °C` is not, and `--` is a dash.
      guard first == "-", line.count > 2, all[at + 1].properties.isAlphabetic else { return nil }
      return Item(label: behind(1), isForeign: true)
    case "*":
      let stars = all[line].prefix { $0 == "*" }.count
      if stars == 1, isBlank(at + 1) { return Item(label: behind(1), isForeign: false) }
      // `*Milk` and `** Milk` are wiki items; `*Milk*` and `**Milk**` are emphasized text.
      guard stars <= 6, at + stars < line.upperBound, all[line.upperBound - 1] != "*" else { return nil }
      guard stars == 1 || isBlank(at + stars) else { return nil }
      return Item(label: behind(stars), isForeign: true, depth: stars - 1)
    case "o":
      // The letter `o` is Word's second-level bullet.
      guard isBlank(at + 1), all[at + 1] != " " || isBlank(at + 2) else { return nil }
      return Item(label: behind(1), isForeign: true, depth: 1)
    case "•", "·", "‣", "▪", "○", "●", "–", "—":
      // The Markdown reader requires a space after some bullets.
      return Item(label: behind(1), isForeign: !isBlank(at + 1) && line.count > 1)
    case "_":
      let blanks = all[line].prefix { $0 == "_" }.count
      guard blanks >= 3, blanks < line.count else { return nil }
      return Item(label: behind(blanks), isForeign: false, box: .open)
    case "(": return bracketed(all, line)
    default: return numbered(all, line) ?? blankToFill(all, line)
    }
  }

  /// Returns the box at the beginning of a part of a line, and the box's length.
  private static func box(_ all: [Unicode.Scalar], _ part: Range<Int>) -> (Box, length: Int)? {
    guard let first = part.first.map({ all[$0] }) else { return nil }
    let at = part.lowerBound
    if first == "[" {
      guard part.count > 1 else { return nil }
      // Jira and Trello write an open box as `[]`.
      let length = all[at + 1] == "]" ? 2 : part.count > 2 && all[at + 2] == "]" ? 3 : 0
      let inside = all[at + 1]
      let isTicked = length == 3 && "xXхХ✓✔".unicodeScalars.contains(inside)
      guard length == 2 || isTicked || (length == 3 && (TextLine.isSpace(inside) || inside == "_")) else { return nil }
      // `[x](y)` is a link.
      guard part.count > length else { return (isTicked ? .ticked : .open, length) }
      let next = all[at + length]
      guard TextLine.isSpace(next) || next.properties.isAlphabetic || ("0"..."9").contains(next) else { return nil }
      return (isTicked ? .ticked : .open, length)
    }
    // A variation selector may follow the box and turn it into an emoji: `☑️`.
    let length = part.count > 1 && all[at + 1].value == 0xFE0F ? 2 : 1
    if boxes.contains(first.value) { return part.count > 1 ? (.open, length) : nil }
    switch first {
    case "☐", "□", "◻", "▢", "⬜", "❏", "❐", "❑", "❒", "🔲", "🔳": return (.open, length)
    case "☑", "☒": return (.ticked, length)
    case "✓", "✔", "✅": return (.tick, length)
    default: return nil
    }
  }

  /// Returns the mark of an item with brackets: `(1) x`, `(a) x`, `( ) x`.
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

  /// Returns the mark of a numbered item. `1. x` and `1) x` are Markdown; `1.2 x`, `1.2. x` and `a) x` are not.
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

  /// Returns the mark of an item with a blank to fill in: `Diesel ____`, `Diesel ____ l`.
  private static func blankToFill(_ all: [Unicode.Scalar], _ line: Range<Int>) -> Item? {
    let rest = all[line].reversed().prefix(40)
    guard let last = rest.firstIndex(of: "_"), let blank = rest[last...].prefix(while: { $0 == "_" }).count as Int?,
      blank >= 3
    else { return nil }
    return Item(label: line, isForeign: false)
  }

  /// Returns a label without the blank at its end, or the whole label if it consists only of a blank.
  private static func withoutBlank(_ all: [Unicode.Scalar], _ label: Range<Int>) -> Range<Int> {
    let blank = all[label].reversed().prefix { $0 == "_" }.count
    let rest = TextLine.trimmed(all, label.lowerBound..<label.upperBound - blank)
    return blank >= 3 && !rest.isEmpty ? rest : label
  }

  /// Returns the level and the text of a wiki heading: `== Engine ==` in MediaWiki, `h2. Engine` in Confluence.
  fileprivate static func wikiHeading(_ all: [Unicode.Scalar], _ line: Range<Int>) -> (level: Int, label: Range<Int>)? {
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
