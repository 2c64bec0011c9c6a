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
    (form, label, box) = Self.look(scalars, start..<end)
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

  private static func look(_ all: [Unicode.Scalar], _ line: Range<Int>) -> (Form, Range<Int>, PastedMark.Box?) {
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
