import MarkdownSyntax

/// The kinds of lines in a note, outside code, judged by the beginning of each line.
struct NoteScan {
  /// A line that looks like a list item.
  struct Item {
    /// The text after the bullet, number or box.
    let label: Range<Int>
    /// The bytes of the line.
    let line: Range<Int>
    let isTask: Bool
    /// Whether the item has a box or a blank that is not Markdown syntax: `☐`, `____`.
    let isMarked: Bool
    let isNumbered: Bool
    let isNested: Bool
  }

  /// The maximum number of items that are kept for closer examination; further items are only counted.
  static let mostItems = 400

  private(set) var items: [Item] = []
  private(set) var itemCount = 0
  private(set) var taskCount = 0
  private(set) var markedCount = 0
  private(set) var numberedCount = 0
  /// The number of lines of running text; a long line counts as several.
  private(set) var prose = 0
  /// The number of lines below items.
  private(set) var details = 0
  private(set) var tableRows = 0
  /// The header of the first table whose rows are steps, and whether the header alone proves that they are.
  private(set) var stepTable: (header: Range<Int>, isSure: Bool)?
  /// The byte ranges of the first few headings, without marks.
  private(set) var headings: [Range<Int>] = []
  /// The offset of the first line of running text.
  private(set) var firstProse: Int?

  /// The number of lines that are neither empty nor headings.
  var content: Int { itemCount + prose + details + tableRows }

  /// The number of bytes of running text that count as a line.
  private static let lineWidth = 90

  init(_ text: Span<UInt8>, _ tree: MarkdownTree) {
    let fences = tree.fencedLines
    var nextFence = 0
    var inItem = false
    var wasBlank = true
    // A short line directly above a list is the list's title. Holds the line's range, the number of lines that were
    // counted for it, and whether it was the first text.
    var short: (range: Range<Int>, lines: Int, isFirst: Bool)?
    for (number, line) in tree.lines.enumerated() {
      while nextFence < fences.count, fences[nextFence].upperBound <= number { nextFence += 1 }
      if nextFence < fences.count, fences[nextFence].contains(number) {
        wasBlank = false
        continue
      }
      var start = line.lowerBound
      var indentation = 0
      while start < line.upperBound, NoteLines.isBlank(text[start]) {
        indentation += text[start] == 0x09 ? 4 : 1
        start += 1
      }
      guard start < line.upperBound else {
        wasBlank = true
        // A short line at the beginning of the note is the note's title.
        if let short, short.isFirst, itemCount == 0 {
          prose -= short.lines
          firstProse = nil
        }
        short = nil
        continue
      }
      // A callout may contain tasks.
      if text[start] == UInt8(ascii: ">") {
        var inner = start
        while inner < line.upperBound, text[inner] == UInt8(ascii: ">") || NoteLines.isBlank(text[inner]) { inner += 1 }
        if StepMark(text, inner..<line.upperBound)?.isBox == true { start = inner }
      }
      let first = text[start]
      if first >= 0x80 || !Self.isLetter(first), countItem(text, start..<line.upperBound, line, indentation) {
        inItem = true
        if let short {
          prose -= short.lines
          if short.isFirst { firstProse = nil }
        }
        short = nil
      } else if indentation >= 2, inItem {
        details += 1
      } else if first == UInt8(ascii: "#") || first == UInt8(ascii: "|") || first == UInt8(ascii: "<") {
        other(text, start..<line.upperBound)
        inItem = false
      } else if inItem, !wasBlank {
        details += 1
      } else if !Self.isUnderline(text, start..<line.upperBound) {
        let before = (prose, firstProse)
        countText(text, start..<line.upperBound)
        let mayBeTitle = wasBlank && HeadingNotation.isShort(text, start..<line.upperBound)
        short = mayBeTitle ? (start..<line.upperBound, prose - before.0, before.1 == nil) : nil
        inItem = false
      } else if let title = short {
        // The line is the title above an underline, such as `Engine` with `---` below it.
        prose -= title.lines
        if title.isFirst { firstProse = nil }
        if headings.count < 64 { headings.append(title.range) }
        short = nil
      }
      wasBlank = false
    }
    if tree.children(of: 0).contains(where: { tree.blocks[$0].kind == .table }) {
      text.withUnsafeBufferPointer { countTableRows(NoteLines(text: $0, lines: tree.lines), tree) }
    }
  }

  /// Counts the rows of step tables as items.
  private mutating func countTableRows(_ note: NoteLines, _ tree: MarkdownTree) {
    for block in tree.children(of: 0) where tree.blocks[block].kind == .table {
      let lines = tree.blocks[block].lines
      guard let table = StepTable(note, lines) else { continue }
      if stepTable == nil { stepTable = (table.header.bytes, table.isSure) }
      for line in lines {
        let row = note.trimmed(note.lines[line])
        if row.isEmpty { continue }
        if note.text[row.lowerBound] == UInt8(ascii: "|") {
          tableRows = max(0, tableRows - 1)
        } else if Self.isLetter(note.text[row.lowerBound]) || note.text[row.lowerBound] >= 0x80 {
          // A row without a leading pipe was counted as text.
          prose = max(0, prose - Self.textLines(note.text.span, row))
          if let first = firstProse, row.contains(first) { firstProse = nil }
        }
      }
      for row in table.rows {
        let label = table.read(row, note).step.title.range
        add(
          Item(
            label: label, line: row.bytes, isTask: false, isMarked: table.hasTicks, isNumbered: false, isNested: false))
      }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Whether a line is a rule, or underlines a heading.
  private static func isUnderline(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    let first = text[line.lowerBound]
    guard first == UInt8(ascii: "=") || first == UInt8(ascii: "-") || first == UInt8(ascii: "*") || first == 0x5F else {
      return false
    }
    return line.allSatisfy { text[$0] == first || text[$0] == 0x20 }
  }

  // MARK: Lines

  private mutating func other(_ text: Span<UInt8>, _ line: Range<Int>) {
    switch text[line.lowerBound] {
    case UInt8(ascii: "|"): tableRows += 1
    case UInt8(ascii: "#"):
      var at = line.lowerBound
      while at < line.upperBound, text[at] == UInt8(ascii: "#") { at += 1 }
      guard at < line.upperBound, NoteLines.isBlank(text[at]) else {
        // `#tag`
        return
      }
      if headings.count < 64 { headings.append(at + 1..<line.upperBound) }
    default: break
    }
  }

  private mutating func countText(_ text: Span<UInt8>, _ line: Range<Int>) {
    let last = text[line.upperBound - 1]
    // These lines act as headings: `Engine:`, `**Engine**`.
    if last == UInt8(ascii: ":"), line.count <= 80 { return }
    if last == UInt8(ascii: "*"), text[line.lowerBound] == UInt8(ascii: "*"), line.count <= 80 { return }
    let underscore = ByteSearch.first(in: text, from: line.lowerBound, to: line.upperBound) {
      ByteSearch.equal($0, 0x5F)
    }
    if underscore < line.upperBound, countBlank(text, line) { return }
    if firstProse == nil { firstProse = line.lowerBound }
    prose += Self.textLines(text, line)
  }

  /// Returns the number of lines of running text that a line counts as.
  private static func textLines(_ text: Span<UInt8>, _ line: Range<Int>) -> Int {
    1 + (line.count - 1) / (text[line.lowerBound] >= 0xD0 ? lineWidth * 2 : lineWidth)
  }

  /// Counts a line like `Diesel ____` or `Diesel ____ l` as an item.
  private mutating func countBlank(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    guard let mark = StepMark(text, line) else { return false }
    add(Item(label: mark.label, line: line, isTask: false, isMarked: true, isNumbered: false, isNested: false))
    return true
  }

  /// Counts a line that begins like an item.
  private mutating func countItem(
    _ text: Span<UInt8>, _ content: Range<Int>, _ line: Range<Int>, _ indentation: Int
  ) -> Bool {
    var at = content.lowerBound
    var isNumbered = false
    switch text[at] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"): at += 1
    case 0x30...0x39:
      while at < content.upperBound, (0x30...0x39).contains(text[at]), at < content.lowerBound + 4 { at += 1 }
      guard at < content.upperBound, text[at] == UInt8(ascii: ".") || text[at] == UInt8(ascii: ")") else {
        return false
      }
      at += 1
      isNumbered = true
    case UInt8(ascii: "["), UInt8(ascii: "_"), 0x80...0xFF:
      guard let mark = StepMark(text, content) else { return false }
      let first = text[content.lowerBound]
      // A bullet does not mark the item, but a box or a blank does.
      let isBullet = first >= 0x80 && !Self.isBox(text, content.lowerBound)
      add(
        Item(
          label: mark.label, line: line, isTask: false, isMarked: !isBullet, isNumbered: false,
          isNested: indentation >= 2))
      return true
    default: return false
    }
    if !isNumbered, at < content.upperBound, text[at] == UInt8(ascii: "["), let mark = StepMark(text, content) {
      add(
        Item(
          label: mark.label, line: line, isTask: true, isMarked: false, isNumbered: false, isNested: indentation >= 2))
      return true
    }
    guard at < content.upperBound, NoteLines.isBlank(text[at]) else { return false }
    while at < content.upperBound, NoteLines.isBlank(text[at]) { at += 1 }
    guard at < content.upperBound else { return true }
    let rest = at..<content.upperBound
    if Self.isUnderline(text, content) { return false }
    var label = rest
    var isTask = false
    var isMarked = false
    if let width = StepMark.box(text, rest) {
      isTask = true
      label = min(rest.upperBound, rest.lowerBound + width + 1)..<rest.upperBound
    } else if text[at] >= 0x80 || text[at] == 0x5F || text[rest.upperBound - 1] == 0x5F,
      let mark = StepMark(text, rest)
    {
      isMarked = text[at] == 0x5F || mark.trailing != nil || Self.isBox(text, at)
      label = mark.label
    }
    add(
      Item(
        label: label, line: line, isTask: isTask, isMarked: isMarked, isNumbered: isNumbered, isNested: indentation >= 2
      ))
    return true
  }

  private static func isBox(_ text: Span<UInt8>, _ at: Int) -> Bool {
    if at + 3 < text.count, text[at] == 0xF0 { return StepMark.isEmojiBox(text, at) }
    guard at + 2 < text.count, text[at] == 0xE2 else { return false }
    switch (text[at + 1], text[at + 2]) {
    case (0x98, _), (0x96, 0xA1), (0x97, 0xBB), (0x96, 0xA2), (0xAC, 0x9C), (0x9D, 0x8F...0x92): return true
    // ✅ does not count, because it decorates lists of all kinds.
    case (0x9C, let last): return last != 0x85
    default: return false
    }
  }

  private mutating func add(_ item: Item) {
    itemCount += 1
    if item.isTask { taskCount += 1 }
    if item.isMarked { markedCount += 1 }
    if item.isNumbered { numberedCount += 1 }
    if items.count < Self.mostItems { items.append(item) }
  }
}
