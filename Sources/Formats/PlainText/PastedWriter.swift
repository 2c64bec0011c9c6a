/// Converts each line of a pasted text to one line of Markdown.
struct PastedWriter {
  /// The Markdown. Each line ends with a line feed.
  private(set) var markdown = ""
  /// The shift of each line.
  private(set) var shifts: [PastedList.Shift] = []

  /// Whether every item becomes a task.
  private let areTasks: Bool
  /// Whether `✓` counts as a ticked box instead of a bullet.
  private let ticksCount: Bool
  /// The items that contain the previous line, outermost first.
  private var items: [Item] = []
  /// Whether the previous line was empty.
  private var isAfterBlank = true

  private struct Item {
    /// The item's indentation, including the depth of its mark.
    let depth: Int
    let indentation: Int
    /// The column at which the item's text begins in the Markdown. A line that begins at this column is part of the
    /// item.
    let content: Int
  }

  /// The maximum depth at which items are written. It is limited because each level adds spaces to every line.
  private static let deepest = 6
  /// The weight of a level in a wiki mark, which is greater than any indentation.
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

  /// Writes a line that is not an item. If the line is indented more than the item above it, it becomes part of this
  /// item.
  mutating func text(_ line: TextLine) {
    let whole = line.start..<line.scalars.count
    while let last = items.last, last.indentation >= line.indentation, isAfterBlank || items.count > 1 {
      items.removeLast()
    }
    guard let last = items.last, line.indentation > last.indentation else {
      // Directly below an item, the line continues the item. After a blank line, it ends the list.
      if isAfterBlank { items = [] }
      return write("", line, whole)
    }
    write(String(repeating: " ", count: last.content), line, whole)
  }

  /// Writes an item.
  /// - Parameters:
  ///   - depth: the item's depth according to its mark.
  ///   - next: the next line; nil at the end.
  mutating func item(_ line: TextLine, depth: Int, next: TextLine?) {
    let depth = line.indentation + depth * Self.signWeight
    while let last = items.last, last.depth >= depth { items.removeLast() }
    let indent = items.prefix(Self.deepest).last?.content ?? 0
    guard let mark = mark(line, next: next) else {
      // The line is written unchanged, so `1. x` keeps its number.
      write(String(repeating: " ", count: indent), line, line.start..<line.scalars.count)
      // A line with a blank to fill in does not begin a list.
      guard line.isKnownList else { return items = [] }
      let width = max(1, min(line.label.lowerBound - line.start, 5))
      items.append(Item(depth: depth, indentation: line.indentation, content: indent + width))
      return
    }
    // Add a hard line break, so that the next line does not become part of the title.
    let breaks = mark.count > 2 && next?.form == .text && (next?.indentation ?? 0) > line.indentation
    write(String(repeating: " ", count: indent) + mark, line, line.label, behind: breaks ? "  " : "")
    items.append(Item(depth: depth, indentation: line.indentation, content: indent + 2))
  }

  /// Returns the mark that an item gets; nil if the item keeps its own mark.
  private func mark(_ line: TextLine, next: TextLine?) -> String? {
    let isTicked = line.box == .ticked || (line.box == .tick && ticksCount)
    if isTicked { return "- [x] " }
    if areTasks { return "- [ ] " }
    switch line.form {
    case .item where line.isKnownList && line.box == nil: return nil
    // A blank can also occur in prose, so a line with a blank is an item only among other items.
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
