/// A pasted text as Markdown, line for line, so that the reader of notes can read it.
///
/// Only marks are changed: what a heading or an item says stays as it was typed. Line *n* of the Markdown is line *n*
/// of the text.
struct PastedList: Sendable {
  /// How far the text of a line was moved.
  struct Shift: Sendable {
    /// Where it begins in the Markdown, in Unicode scalars from 0.
    let made: Int
    /// Where it begins in what was pasted.
    let typed: Int
  }

  /// The Markdown, UTF-8, lines ended by line feeds.
  let markdown: [UInt8]
  /// One for each line.
  let shifts: [Shift]

  /// Makes Markdown of a text.
  /// - Parameter infers: whether a text that is mostly a list is one to tick.
  init(_ text: String, infers: Bool) {
    var lines: [TextLine] = []
    // A carriage return before a line feed is white space at a line's end; alone it ended lines once.
    let end: Unicode.Scalar = text.utf8.contains(0x0A) ? "\n" : "\r"
    for line in text.unicodeScalars.split(separator: end, omittingEmptySubsequences: false) {
      lines.append(TextLine(line))
    }
    let wiki = Self.hasWikiNumbers(lines)
    let bare = Self.isBareList(lines)
    let bullet = infers && (bare || Self.isMostlyItems(lines)) ? "- [ ] " : "- "
    let title = Self.title(lines)
    var out = ""
    var shifts: [Shift] = []
    let indentations = Set(lines.filter { Self.isItem($0.form) }.map(\.indentation)).sorted()
    for index in lines.indices {
      let line = lines[index]
      let next = index + 1 < lines.count ? lines[index + 1].form : .blank
      func write(_ mark: String, _ label: Range<Int>) {
        shifts.append(Shift(made: mark.unicodeScalars.count, typed: label.lowerBound))
        var part = String.UnicodeScalarView()
        part.append(contentsOf: line.scalars[label])
        out += mark + String(part)
      }
      func heading(_ level: Int, _ label: Range<Int>) {
        write(String(repeating: "#", count: index == title ? 1 : min(6, max(level, 2))) + " ", label)
      }
      /// Two blanks for each level, whatever was pasted: four would make code of an item.
      func indent(_ extra: Int) -> String {
        let level = indentations.firstIndex(of: line.indentation) ?? 0
        return String(repeating: "  ", count: min(level + extra, 6))
      }
      switch line.form {
      case .blank, .rule: shifts.append(Shift(made: 0, typed: 0))
      case .heading(let level): heading(level, line.label)
      case .hash(let count) where wiki: write(String(repeating: "  ", count: count - 1) + bullet, line.label)
      case .hash: write("", line.start..<line.scalars.count)
      // Boxes stay what they are: one may be ticked.
      case .item where bullet == "- " || PastedMark.isBox(line.scalars, line.start):
        write(indent(0), line.start..<line.scalars.count)
      case .item: write(indent(0) + bullet, line.label)
      case .foreignItem(let depth): write(indent(depth) + bullet, line.label)
      case .text:
        if index == title {
          heading(1, line.label)
        } else if case .rule = next, line.label.count <= 100 {
          heading(2, line.label)
        } else if bare, let group = Self.group(line) {
          heading(2, group)
        } else if bare {
          write(bullet, line.label)
        } else {
          // Four blanks would make code of a line; two keep it below its item.
          let isBelow = line.indentation > 0 && index > 0 && Self.isItem(lines[index - 1].form)
          write(isBelow ? indent(0) + "  " : "", line.label)
        }
      }
      out += "\n"
    }
    markdown = Array(out.utf8)
    self.shifts = shifts
  }

  private static func isItem(_ form: TextLine.Form) -> Bool {
    switch form {
    case .item, .foreignItem: true
    default: false
    }
  }

  /// Whether `#` numbers items, as in a wiki: it stands on lines that follow each other.
  private static func hasWikiNumbers(_ lines: [TextLine]) -> Bool {
    zip(lines, lines.dropFirst()).contains {
      if case .hash(let first) = $0.form, case .hash(let second) = $1.form { return first == second }
      return false
    }
  }

  /// The line that is the text's title: the first one, short, and what follows is not what it is the heading of.
  private static func title(_ lines: [TextLine]) -> Int? {
    guard let first = lines.firstIndex(where: { $0.form != .blank }), lines[first].label.count <= 80 else { return nil }
    let rest = lines[(first + 1)...]
    guard let content = rest.first(where: { !$0.isEmpty }) else { return nil }
    switch lines[first].form {
    // Right above a list it is the heading of that.
    case .heading: return isItem(content.form) ? nil : first
    case .text:
      if lines[first].scalars[lines[first].label].last == "." { return nil }
      guard let next = rest.first else { return nil }
      return next.isEmpty || content.form != .text ? first : nil
    default: return nil
    }
  }

  /// Whether at least six of ten lines are items, and they are no cards.
  private static func isMostlyItems(_ lines: [TextLine]) -> Bool {
    let items = lines.filter { isItem($0.form) }
    let content = lines.count { line in
      switch line.form {
      case .blank, .rule, .heading: false
      default: true
      }
    }
    let cards = items.count { line in
      line.scalars.contains("\t") || zip(line.scalars, line.scalars.dropFirst()).contains { $0 == ":" && $1 == ":" }
    }
    return items.count >= 3 && items.count * 10 >= content * 6 && cards * 2 < items.count
  }

  /// Whether the text is a list without any mark: short lines that are no sentences, at least four.
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

  /// The heading of a group that a line of a list without marks is: it ends in a colon.
  private static func group(_ line: TextLine) -> Range<Int>? {
    guard line.scalars[line.label].last == ":" else { return nil }
    return TextLine.trimmed(line.scalars, line.label.dropLast())
  }
}
