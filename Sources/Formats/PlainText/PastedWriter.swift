/// Writes the lines of a pasted text as lines of Markdown, one for one.
struct PastedWriter {
  /// Lines, each ended by a line feed.
  private(set) var markdown = ""
  /// One for each line.
  private(set) var shifts: [PastedList.Shift] = []

  /// Whether every item becomes one to tick.
  private let areTasks: Bool
  /// Whether `✓` is a ticked box instead of a bullet.
  private let ticksCount: Bool
  /// The items around the previous line, outermost first.
  private var items: [Item] = []
  /// Whether the previous line was empty.
  private var isAfterBlank = true

  private struct Item {
    /// Its indentation, including its own sign.
    let depth: Int
    let indentation: Int
    /// The column of its text in the Markdown: a line that begins there is below the item.
    let content: Int
  }

  /// Deeper items are written at this depth: each level costs spaces on every line.
  private static let deepest = 6
  /// Signs of a wiki have more weight than any indentation.
  private static let signWeight = 1 << 20

  init(areTasks: Bool, ticksCount: Bool) {
    self.areTasks = areTasks
    self.ticksCount = ticksCount
  }

  /// Writes an empty line.
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

  /// Writes a line that is not an item. It is placed below the item above if it is further to the right.
  mutating func text(_ line: TextLine) {
    let whole = line.start..<line.scalars.count
    while let last = items.last, last.indentation >= line.indentation, isAfterBlank || items.count > 1 {
      items.removeLast()
    }
    guard let last = items.last, line.indentation > last.indentation else {
      // Directly below an item it continues the item; after a blank line it ends the list.
      if isAfterBlank { items = [] }
      return write("", line, whole)
    }
    write(String(repeating: " ", count: last.content), line, whole)
  }

  /// Writes an item.
  /// - Parameters:
  ///   - depth: its depth according to its own sign.
  ///   - next: the next line; nil at the end.
  mutating func item(_ line: TextLine, depth: Int, next: TextLine?) {
    let depth = line.indentation + depth * Self.signWeight
    while let last = items.last, last.depth >= depth { items.removeLast() }
    let indent = items.prefix(Self.deepest).last?.content ?? 0
    guard let mark = mark(line, next: next) else {
      // Written unchanged: `1. x` keeps its number.
      write(String(repeating: " ", count: indent), line, line.start..<line.scalars.count)
      // A blank to fill in does not begin a list.
      guard line.isKnownList else { return items = [] }
      let width = max(1, min(line.label.lowerBound - line.start, 5))
      items.append(Item(depth: depth, indentation: line.indentation, content: indent + width))
      return
    }
    // A hard break: the next line is not part of the title.
    let breaks = mark.count > 2 && next?.form == .text && (next?.indentation ?? 0) > line.indentation
    write(String(repeating: " ", count: indent) + mark, line, line.label, behind: breaks ? "  " : "")
    items.append(Item(depth: depth, indentation: line.indentation, content: indent + 2))
  }

  /// Returns the mark that an item gets; nil if it keeps its own.
  private func mark(_ line: TextLine, next: TextLine?) -> String? {
    let isTicked = line.box == .ticked || (line.box == .tick && ticksCount)
    if isTicked { return "- [x] " }
    if areTasks { return "- [ ] " }
    switch line.form {
    case .item where line.isKnownList && line.box == nil: return nil
    // A blank can also occur in prose: it is an item only among items.
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
