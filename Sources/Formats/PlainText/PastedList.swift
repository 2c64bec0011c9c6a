/// A pasted text that is converted to Markdown line by line, so that the note reader can read it.
///
/// Only marks are changed. The text of a heading or an item is kept as typed. Line *n* of the Markdown corresponds to
/// line *n* of the pasted text.
struct PastedList: Sendable {
  /// The positions of a line's text before and after the conversion.
  struct Shift: Sendable {
    /// The position at which the line begins in the pasted text, including its mark, in Unicode scalars from 0.
    let start: Int
    /// The position at which the line's text begins in the Markdown, in Unicode scalars from 0.
    let made: Int
    /// The position at which the line's text begins in the pasted text.
    let typed: Int
  }

  /// The Markdown, in UTF-8, with line feeds as line breaks.
  let markdown: [UInt8]
  /// The shift of each line.
  let shifts: [Shift]
  /// The lines of a mail signature, which are left out of the Markdown; nil if the text has no signature.
  let signature: Range<Int>?

  /// Converts a text to Markdown.
  /// - Parameter infers: whether a text that is mostly a list becomes a checklist.
  init(_ text: String, infers: Bool) {
    var lines: [TextLine] = []
    // A carriage return before a line feed is white space at the end of a line. Old systems used a single carriage
    // return as the line break.
    let lineEnd: Unicode.Scalar = text.utf8.contains(0x0A) ? "\n" : "\r"
    for line in text.unicodeScalars.split(separator: lineEnd, omittingEmptySubsequences: false) {
      lines.append(TextLine(line))
    }
    let all = lines.count
    let end = lines.lastIndex { !$0.isEmpty } ?? 0
    signature = MailSignature.start(lines).map { $0..<max($0, end) + 1 }
    if let signature { lines.removeSubrange(signature.lowerBound...) }
    let wiki = Self.hasWikiNumbers(lines)
    let bare = Self.isBareList(lines)
    let title = Self.title(lines)
    var headings = bare ? UnmarkedHeading.findAmongBare(lines) : UnmarkedHeading.find(lines)
    if let title { headings.insert(title) }
    let areTasks = infers && (bare || Self.isMostlyItems(lines, headings))
    var writer = PastedWriter(
      areTasks: areTasks, ticksCount: lines.contains { $0.box == .open })
    for index in lines.indices {
      let line = lines[index]
      let next = index + 1 < lines.count ? lines[index + 1] : nil
      let level = index == title ? 1 : 2
      switch line.form {
      case .blank, .rule: writer.blank()
      case .heading(let deep): writer.heading(index == title ? 1 : min(6, max(deep, 2)), line, line.label)
      case .hash(let count) where wiki: writer.item(line, depth: count - 1, next: next)
      case .hash: writer.text(line)
      case .item: writer.item(line, depth: 0, next: next)
      case .foreignItem(let depth): writer.item(line, depth: depth, next: next)
      case .text where index == title: writer.heading(level, line, Self.group(line) ?? line.label)
      case .text:
        if case .rule = next?.form, line.label.count <= 100 {
          writer.heading(level, line, line.label)
        } else if areTasks, headings.contains(index), Self.group(line) == nil {
          writer.heading(level, line, line.label)
        } else if areTasks, let group = Self.group(line), bare || Self.isAbove(lines[(index + 1)...], line) {
          writer.heading(level, line, group)
        } else if bare {
          writer.item(line, depth: 0, next: nil)
        } else {
          writer.text(line)
        }
      }
    }
    for _ in lines.count..<all { writer.blank() }
    markdown = Array(writer.markdown.utf8)
    shifts = writer.shifts
  }

  /// Whether a line is above items that are not further to the left, as a group title is.
  private static func isAbove(_ rest: ArraySlice<TextLine>, _ line: TextLine) -> Bool {
    guard line.label.count <= 60, let next = rest.first(where: { !$0.isEmpty }) else { return false }
    return next.isItem && line.indentation <= next.indentation
  }

  /// Whether `#` numbers items, as in a wiki. It must then occur on consecutive lines.
  private static func hasWikiNumbers(_ lines: [TextLine]) -> Bool {
    zip(lines, lines.dropFirst()).contains {
      if case .hash(let first) = $0.form, case .hash(let second) = $1.form { return first == second }
      return false
    }
  }

  /// Returns the line with the text's title: the first line, if it is short and is not a heading for the lines below
  /// it.
  private static func title(_ lines: [TextLine]) -> Int? {
    guard let first = lines.firstIndex(where: { $0.form != .blank }), lines[first].label.count <= 80 else { return nil }
    let rest = lines[(first + 1)...]
    guard let content = rest.first(where: { !$0.isEmpty }) else { return nil }
    switch lines[first].form {
    // Directly above a list, the line is the heading of this list.
    case .heading: return content.isItem ? nil : first
    case .text:
      if lines[first].scalars[lines[first].label].last == "." { return nil }
      guard let next = rest.first else { return nil }
      return next.isEmpty || content.form != .text ? first : nil
    default: return nil
    }
  }

  /// Whether at least 60 % of the lines are items that are not cards.
  ///
  /// Lines below items count only if they outnumber the items, because wrapped prose can also have bullets.
  private static func isMostlyItems(_ lines: [TextLine], _ headings: Set<Int>) -> Bool {
    let items = lines.filter(\.isItem)
    var others = 0
    var below = 0
    var last: TextLine?
    for (index, line) in lines.enumerated() {
      switch line.form {
      case .item, .foreignItem: last = line
      case .text where headings.contains(index): last = nil
      case .blank, .rule: continue
      case .heading: last = nil
      case .text where (last?.indentation).map { line.indentation > $0 } ?? false: below += 1
      case .text, .hash:
        last = nil
        others += 1
      }
    }
    let content = items.count + others + max(0, below - items.count)
    let cards = items.count { line in
      line.scalars.contains("\t") || zip(line.scalars, line.scalars.dropFirst()).contains { $0 == ":" && $1 == ":" }
    }
    // Two items count as a list if one of them has a checkbox.
    let least = items.contains { $0.box == .open || $0.box == .ticked } ? 2 : 3
    return items.count >= least && items.count * 10 >= content * 6 && cards * 2 < items.count
  }

  /// Whether the text is a list without marks: at least four short lines that are not sentences.
  private static func isBareList(_ lines: [TextLine]) -> Bool {
    var short = 0
    for line in lines {
      switch line.form {
      case .item, .foreignItem, .hash: return false
      case .text:
        guard line.label.count <= 70, let last = line.scalars[line.label].last else { return false }
        if ".!?;,".unicodeScalars.contains(last) { return false }
        short += 1
      case .blank, .rule, .heading: continue
      }
    }
    return short >= 4
  }

  /// Returns the group heading in a line that ends with a colon.
  private static func group(_ line: TextLine) -> Range<Int>? {
    guard line.scalars[line.label].last == ":" else { return nil }
    return TextLine.trimmed(line.scalars, line.label.dropLast())
  }
}
