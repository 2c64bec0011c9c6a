/// Writes the lines of a pasted text as lines of Markdown, one for one.
struct PastedWriter {
  /// Lines, each ended by a line feed.
  private(set) var markdown = ""
  /// One for each line.
  private(set) var shifts: [PastedList.Shift] = []

  /// Whether every item is one to tick.
  private let areTasks: Bool
  /// Whether `✓` is a box that is ticked, not a bullet.
  private let ticksCount: Bool
  /// The items that the line before lies in, outermost first.
  private var items: [Item] = []
  /// Whether the line before says nothing.
  private var isAfterBlank = true

  private struct Item {
    /// How far it was indented, its own sign counted in.
    let depth: Int
    let indentation: Int
    /// The column of its text in the Markdown: what begins there lies below it.
    let content: Int
  }

  /// Deeper items are written no deeper: each level costs blanks on every line.
  private static let deepest = 6
  /// Signs of a wiki weigh more than any indentation.
  private static let signWeight = 1 << 20

  init(areTasks: Bool, ticksCount: Bool) {
    self.areTasks = areTasks
    self.ticksCount = ticksCount
  }

  /// Writes a line that says nothing.
  mutating func blank() {
    shifts.append(PastedList.Shift(start: 0, made: 0, typed: 0))
    markdown += "\n"
    isAfterBlank = true
  }

  /// Writes a heading.
  mutating func heading(_ level: Int, _ line: TextLine, _ label: Range<Int>) {
    items = []
    write(String(repeating: "#", count: level) + " ", line, label)
  }

  /// Writes a line that is no item: below the item above when it stands further to the right.
  mutating func text(_ line: TextLine) {
    let whole = line.start..<line.scalars.count
    while let last = items.last, last.indentation >= line.indentation, isAfterBlank || items.count > 1 {
      items.removeLast()
    }
    guard let last = items.last, line.indentation > last.indentation else {
      // Right below an item it goes on with that; behind a blank line it ends the list.
      if isAfterBlank { items = [] }
      return write("", line, whole)
    }
    write(String(repeating: " ", count: last.content), line, whole)
  }

  /// Writes an item.
  /// - Parameters:
  ///   - depth: how deep it lies by its own sign.
  ///   - next: the line below; nil at the end.
  mutating func item(_ line: TextLine, depth: Int, next: TextLine?) {
    let depth = line.indentation + depth * Self.signWeight
    while let last = items.last, last.depth >= depth { items.removeLast() }
    let indent = items.prefix(Self.deepest).last?.content ?? 0
    guard let mark = mark(line, next: next) else {
      // As it stands: `1. x` keeps its number.
      write(String(repeating: " ", count: indent), line, line.start..<line.scalars.count)
      // A blank to fill in begins no list.
      guard line.isKnownList else { return items = [] }
      let width = max(1, min(line.label.lowerBound - line.start, 5))
      items.append(Item(depth: depth, indentation: line.indentation, content: indent + width))
      return
    }
    // A hard break: what stands below is not part of the title.
    let breaks = mark.count > 2 && next?.form == .text && (next?.indentation ?? 0) > line.indentation
    write(String(repeating: " ", count: indent) + mark, line, line.label, behind: breaks ? "  " : "")
    items.append(Item(depth: depth, indentation: line.indentation, content: indent + 2))
  }

  /// The mark that an item gets; nil when it keeps its own.
  private func mark(_ line: TextLine, next: TextLine?) -> String? {
    let isTicked = line.box == .ticked || (line.box == .tick && ticksCount)
    if isTicked { return "- [x] " }
    if areTasks { return "- [ ] " }
    switch line.form {
    case .item where line.isKnownList && line.box == nil: return nil
    // A blank may stand in prose as well: it is an item among items.
    case .item where line.isBlankToFill:
      let isAmongItems = !items.isEmpty || (next?.isItem == true && next?.isBlankToFill == false)
      return isAmongItems ? (line.box == nil ? "- " : "- [ ] ") : nil
    default: return line.box == nil || line.box == .tick ? "- " : "- [ ] "
    }
  }

  private mutating func write(_ mark: String, _ line: TextLine, _ label: Range<Int>, behind: String = "") {
    shifts.append(PastedList.Shift(start: line.start, made: mark.unicodeScalars.count, typed: label.lowerBound))
    var part = String.UnicodeScalarView()
    part.append(contentsOf: line.scalars[label])
    markdown += mark + String(part) + behind + "\n"
    isAfterBlank = false
  }
}
