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

  /// Converts pasted text to Markdown.
  /// - Parameter infers: whether text that is mostly a list becomes a checklist.
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

/// Finds the signature at the end of a mail. The signature is not part of the list above it.
///
/// - Source: formats/plain-text.md; RFC 3676, 4.3 (`-- `)
enum MailSignature {
  /// The maximum number of non-blank lines in a signature.
  private static let mostLines = 12
  /// The maximum number of lines after a closing such as `Best regards,`.
  private static let mostBelowClosing = 6

  /// Returns the index of the signature's first line; nil if the text has no signature.
  ///
  /// No line of the signature may be an item, and at least one line above the signature must not be blank.
  static func start(_ lines: [TextLine]) -> Int? {
    var found: Int?
    var below = 0
    for index in lines.indices.reversed() where lines[index].form != .blank {
      let words = lines[index].words
      let isDivider = words == "--"
      if !isDivider, lines[index].isItem || below >= mostLines || lines[index].label.count > 80 { break }
      let isStart =
        isDivider || programs.contains { words.hasPrefix($0) }
        || below <= mostBelowClosing && closings.contains(words)
      if isStart { found = index }
      below += 1
    }
    guard let found, lines[..<found].contains(where: { !$0.isEmpty }) else { return nil }
    return found
  }

  /// The beginnings of lines that mail programs add.
  private static let programs = [
    "sent from my ", "sent from outlook", "sent from mail for", "sent from yahoo", "sent via ", "get outlook for ",
    "von meinem ", "gesendet von ", "gesendet mit ", "envoyé de ", "envoyé depuis ", "enviado desde ", "inviato da ",
    "отправлено с ", "отправлено из ",
  ]

  /// The closings that people write.
  private static let closings: Set<String> = [
    "best regards", "kind regards", "warm regards", "regards", "best wishes", "all the best", "cheers", "sincerely",
    "yours sincerely", "yours", "many thanks", "thanks", "thank you", "fair winds", "mit freundlichen grüßen",
    "freundliche grüße", "viele grüße", "beste grüße", "liebe grüße", "gruß", "cordialement", "bien cordialement",
    "amicalement", "saludos", "un saludo", "saludos cordiales", "cordiali saluti", "saluti", "с уважением",
    "всего доброго", "с наилучшими пожеланиями",
  ]
}

/// Finds unmarked headings in a list: short lines above its items.
enum UnmarkedHeading {
  /// The maximum length of a heading, in Unicode scalars.
  private static let longest = 40

  /// Returns the indexes of the lines that are headings.
  static func find(_ lines: [TextLine]) -> Set<Int> {
    var found: Set<Int> = []
    for index in lines.indices where isShort(lines[index]) {
      guard let next = lines[(index + 1)...].firstIndex(where: { !$0.isEmpty }), lines[next].isItem,
        lines[index].indentation <= lines[next].indentation
      else { continue }
      guard index > 0, let last = lines[..<index].last, !last.isEmpty else {
        found.insert(index)
        continue
      }
      // A line directly below an item may continue the item, unless the item is short and the line begins a new group.
      if last.isItem, next == index + 1, last.label.count <= longest, last.indentation >= lines[index].indentation,
        isNewBeginning(lines[index])
      {
        found.insert(index)
      }
    }
    return found
  }

  /// Returns the headings in a list whose items have no marks. A heading is a single line between blank lines, above
  /// several consecutive lines.
  static func findAmongBare(_ lines: [TextLine]) -> Set<Int> {
    var found: Set<Int> = []
    for index in lines.indices.dropLast() where isShort(lines[index]) {
      guard index == 0 || lines[index - 1].isEmpty, lines[index + 1].isEmpty,
        let next = lines[(index + 1)...].firstIndex(where: { !$0.isEmpty }), lines[next].form == .text,
        next + 1 < lines.count, lines[next + 1].form == .text
      else { continue }
      found.insert(index)
    }
    return found
  }

  private static func isShort(_ line: TextLine) -> Bool {
    guard line.form == .text, line.label.count <= longest, let last = line.scalars[line.label].last else {
      return false
    }
    return !".,;!?".unicodeScalars.contains(last)
  }

  private static func isNewBeginning(_ line: TextLine) -> Bool {
    guard let first = line.scalars[line.label].first else { return false }
    return first.properties.isUppercase && line.words.split(separator: " ").count <= 4
  }
}
