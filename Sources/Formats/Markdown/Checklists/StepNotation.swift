import Content
import MarkdownSyntax

/// The words that follow the title on a step's line: ` · required · 5 min · #tag`.
struct StepNotation {
  /// The title, without blanks around it.
  var title: Range<Int>
  var isRequired = false
  var isOptional = false
  /// The number before `min`, or the whole duration if it is not in plain minutes.
  var minutes: Range<Int>?
  /// The minutes of a duration that is not in plain minutes: `1 h`.
  private var convertedMinutes: [UInt8]?
  /// The words at the end of the title that were probably meant as an attribute.
  var unknown: Unread?

  /// A part of a title that FleetKit does not recognize as an attribute.
  struct Unread {
    var range: Range<Int>
    /// Whether a dot precedes the words. Words without a dot may well be part of the title.
    var isBehindDot: Bool
  }

  /// The minutes as JSON.
  func minutes(in label: [UInt8]) -> [UInt8]? { minutes.map { convertedMinutes ?? Array(label[$0]) } }

  /// The tags, without `#`.
  var tags: [Range<Int>] = []

  /// A dot with blanks around it.
  static let dot: [UInt8] = Array(" · ".utf8)
  /// The English and the Russian word that FleetKit writes. It also reads other words.
  static let required: [[UInt8]] = [Array("required".utf8), Array("обязательно".utf8)]
  static let optional: [[UInt8]] = [Array("optional".utf8), Array("по желанию".utf8)]
  static let minutes: [[UInt8]] = [Array(" min".utf8), Array(" мин".utf8)]
  private static let requiredWords: Set<String> = [
    "required", "mandatory", "обязательно", "pflicht", "erforderlich", "obligatoire", "obligatorio", "obbligatorio",
  ]
  private static let optionalWords: Set<String> = [
    "optional", "по желанию", "необязательно", "optionnel", "facultatif", "opcional", "facoltativo", "opzionale",
  ]
  static let tagList: [UInt8] = Array("tags:".utf8)

  /// Reads a label from its end, word by word, up to the first unknown word. All ranges refer to `label`.
  /// - Parameter findsUnread: whether to look for words at the end of the title that were probably meant as an
  ///   attribute.
  static func read(_ label: [UInt8], findsUnread: Bool = true) -> StepNotation {
    let whole = trimmed(label, 0..<label.count)
    var found = StepNotation(title: whole)
    var end = whole.upperBound
    while end > whole.lowerBound {
      if let tag = trailingTag(label, whole.lowerBound..<end) {
        found.tags.append(tag)
        end = trimmed(label, whole.lowerBound..<tag.lowerBound - 1).upperBound
        // This dot precedes the first tag.
        if let dot = trailingDot(label, whole.lowerBound..<end) {
          end = trimmed(label, whole.lowerBound..<dot).upperBound
        }
      } else if let dot = lastDot(label, whole.lowerBound..<end),
        found.parseWord(trimmed(label, dot.upperBound..<end), in: label)
      {
        end = trimmed(label, whole.lowerBound..<dot.lowerBound).upperBound
      } else if let dash = lastDash(label, whole.lowerBound..<end),
        found.parseAttribute(trimmed(label, dash.upperBound..<end), in: label)
      {
        end = trimmed(label, whole.lowerBound..<dash.lowerBound).upperBound
      } else if let inner = lastParentheses(label, whole.lowerBound..<end), found.parseList(inner, in: label) {
        end = trimmed(label, whole.lowerBound..<inner.lowerBound - 1).upperBound
      } else {
        if findsUnread { found.unknown = unread(label, whole.lowerBound..<end) }
        break
      }
    }
    // If the label consists only of attribute words, it is the title.
    guard end > whole.lowerBound else { return StepNotation(title: whole) }
    found.tags.reverse()
    found.title = whole.lowerBound..<end
    return found
  }

  /// Reads `required`, `optional` or a duration.
  /// - Returns: false if the word is not an attribute, or the attribute was already found.
  private mutating func parseAttribute(_ word: Range<Int>, in label: [UInt8]) -> Bool {
    guard Self.mayBeAttribute(label, word) else { return false }
    let text = String(decoding: label[word], as: UTF8.self).lowercased()
    if Self.requiredWords.contains(text), !isRequired {
      isRequired = true
      return true
    }
    if Self.optionalWords.contains(text), !isOptional {
      isOptional = true
      return true
    }
    guard minutes == nil else { return false }
    if let unit = Self.minutes.first(where: { label[word].reversed().starts(with: $0.reversed()) }) {
      let digits = word.lowerBound..<word.upperBound - unit.count
      if Self.isPlainNumber(label[digits]) {
        minutes = digits
        return true
      }
    }
    guard let converted = StepDuration.minutes(text) else { return false }
    minutes = word
    convertedMinutes = Array(converted.utf8)
    return true
  }

  /// Whether a word may be an attribute, judging by its first byte and its length: a duration begins with a digit, and
  /// the other attribute words have known lengths.
  private static func mayBeAttribute(_ label: [UInt8], _ word: Range<Int>) -> Bool {
    guard (1...48).contains(word.count) else { return false }
    return isDigit(label[word.lowerBound]) || wordLengths[word.count]
  }

  /// The lengths, in bytes, of the words for required and optional. In these scripts, a capital letter takes as many
  /// bytes as its small letter.
  private static let wordLengths = {
    var lengths = [Bool](repeating: false, count: 49)
    for word in requiredWords.union(optionalWords) { lengths[word.utf8.count] = true }
    return lengths
  }()

  /// Reads a comma-separated list of attributes.
  /// - Returns: false if any of the words is not an attribute. In this case, no attribute is stored.
  private mutating func parseList(_ list: Range<Int>, in label: [UInt8]) -> Bool {
    var copy = self
    var start = list.lowerBound
    for at in list.lowerBound...list.upperBound where at == list.upperBound || label[at] == UInt8(ascii: ",") {
      // The comma in `1,5 h` is part of the number.
      if at < list.upperBound, at + 1 < list.upperBound, Self.isDigit(label[at + 1]) { continue }
      guard copy.parseAttribute(Self.trimmed(label, start..<at), in: label) else { return false }
      start = at + 1
    }
    self = copy
    return true
  }

  /// Returns the words at the end of the title that were probably meant as an attribute: a near match after a dot, or
  /// an exact match without a dot.
  private static func unread(_ label: [UInt8], _ part: Range<Int>) -> Unread? {
    if let dot = lastDot(label, part) {
      let word = trimmed(label, dot.upperBound..<part.upperBound)
      if resemblesAttribute(label[word]) { return Unread(range: word, isBehindDot: true) }
    }
    // `Oil required`, `Oil 5 min`, `Oil 1 h 30 min`
    var start = part.upperBound
    var words: [Range<Int>] = []
    while words.count < 4, start > part.lowerBound, part.upperBound - start <= 48 {
      let end = trimmed(label, part.lowerBound..<start).upperBound
      start = end
      while start > part.lowerBound, !NoteLines.isBlank(label[start - 1]) { start -= 1 }
      if start > part.lowerBound { words.append(start..<part.upperBound) }
    }
    return words.last { word in
      var trial = StepNotation(title: part)
      return trial.parseAttribute(word, in: label)
    }.map { Unread(range: $0, isBehindDot: false) }
  }

  /// Returns the content of the parentheses at the end of a label; a blank must precede them.
  private static func lastParentheses(_ label: [UInt8], _ part: Range<Int>) -> Range<Int>? {
    guard part.count > 4, label[part.upperBound - 1] == UInt8(ascii: ")") else { return nil }
    let inside = part.lowerBound..<part.upperBound - 1
    guard let open = label[inside].suffix(48).lastIndex(of: UInt8(ascii: "(")), open > part.lowerBound,
      NoteLines.isBlank(label[open - 1])
    else { return nil }
    return open + 1..<inside.upperBound
  }

  private static let attributeWords = Spelling.Words(["required", "optional", "mandatory", "обязательно"])

  /// Whether a word after a dot was probably meant as an attribute: a number with a unit, or almost a known word.
  private static func resemblesAttribute(_ word: ArraySlice<UInt8>) -> Bool {
    guard (4...24).contains(word.count), let first = word.first else { return false }
    let text = String(decoding: word, as: UTF8.self).lowercased()
    if isDigit(first) {
      let rest = text.drop { $0.isNumber || ".,: ".contains($0) }
      return ["mi", "ми", "ho", "hr", "ча", "st"].contains { rest.hasPrefix($0) }
    }
    return attributeWords.nearest(to: text) != nil
  }

  /// Reads a word after a dot.
  /// - Returns: false if it is not an attribute.
  private mutating func parseWord(_ word: Range<Int>, in label: [UInt8]) -> Bool {
    if parseAttribute(word, in: label) { return true }
    guard label[word].starts(with: Self.tagList) else { return false }
    var listed: [Range<Int>] = []
    var start = word.lowerBound + Self.tagList.count
    for at in start...word.upperBound where at == word.upperBound || label[at] == UInt8(ascii: ",") {
      let tag = Self.trimmed(label, start..<at)
      guard !tag.isEmpty else { return false }
      listed.append(tag)
      start = at + 1
    }
    // Attributes are read from the end of the label, so the order must be reversed.
    tags.append(contentsOf: listed.reversed())
    return true
  }

  /// Whether digits such as `5` or `12.5` denote the same number in JSON and to people.
  static func isPlainNumber(_ digits: ArraySlice<UInt8>) -> Bool {
    guard (1...9).contains(digits.count), let first = digits.first, let last = digits.last, isDigit(first),
      isDigit(last)
    else { return false }
    var points = 0
    for byte in digits {
      if byte == UInt8(ascii: ".") { points += 1 } else if !isDigit(byte) { return false }
    }
    if first == 0x30, digits.count > 1, digits[digits.startIndex + 1] != UInt8(ascii: ".") { return false }
    return points <= 1
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns the last word if it is a tag; the range begins after its `#`.
  private static func trailingTag(_ label: [UInt8], _ part: Range<Int>) -> Range<Int>? {
    var start = part.upperBound
    while start > part.lowerBound, label[start - 1] != UInt8(ascii: "#") {
      let byte = label[start - 1]
      guard byte >= 0x80 || CommentAttributes.isWordByte(byte) || byte == UInt8(ascii: "/"), byte != 0x3A, byte != 0x2E
      else { return nil }
      start -= 1
    }
    guard start > part.lowerBound, start == part.lowerBound + 1 || NoteLines.isBlank(label[start - 2]),
      isTag(label[start..<part.upperBound])
    else { return nil }
    return start..<part.upperBound
  }

  /// Whether text can follow `#`. It may contain letters, digits, `_`, `-` and `/`, and must contain at least one
  /// letter.
  static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
    var letters = 0
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "_", "-", "/", "0"..."9", "\u{200D}": continue
      case "a"..."z", "A"..."Z": letters += 1
      default:
        if scalar.properties.isAlphabetic {
          letters += 1
        } else {
          switch scalar.properties.generalCategory {
          case .nonspacingMark, .spacingMark, .decimalNumber, .otherSymbol, .modifierSymbol: continue
          default: return false
          }
        }
      }
    }
    return letters > 0
  }

  /// Returns the range of the last dot (`·` or `•`) that has blanks around it, including the blanks.
  private static func lastDot(_ label: [UInt8], _ part: Range<Int>) -> Range<Int>? {
    var at = part.upperBound - 4
    while at > part.lowerBound {
      if NoteLines.isBlank(label[at]) {
        if label[at + 1] == 0xC2, label[at + 2] == 0xB7, NoteLines.isBlank(label[at + 3]) { return at..<at + 4 }
        if at + 4 < part.upperBound, label[at + 1] == 0xE2, label[at + 2] == 0x80, label[at + 3] == 0xA2,
          NoteLines.isBlank(label[at + 4])
        {
          return at..<at + 5
        }
      }
      at -= 1
    }
    return nil
  }

  /// Returns the start of a dot at the end, including the blank before it.
  private static func trailingDot(_ label: [UInt8], _ part: Range<Int>) -> Int? {
    for dot in dots where part.count > dot.count && label[part].suffix(dot.count).elementsEqual(dot) {
      let start = part.upperBound - dot.count
      if NoteLines.isBlank(label[start - 1]) { return start }
    }
    return nil
  }

  /// Returns the range of the last dash (`-`, `–` or `—`) that has blanks around it, including the blanks.
  private static func lastDash(_ label: [UInt8], _ part: Range<Int>) -> Range<Int>? {
    // Attributes are short, so only the end of the label is searched.
    var at = part.upperBound - 1
    while at > part.lowerBound, part.upperBound - at <= 50 {
      if NoteLines.isBlank(label[at]) {
        for dash in dashes {
          let start = at - dash.count
          if start > part.lowerBound, label[start..<at].elementsEqual(dash), NoteLines.isBlank(label[start - 1]) {
            return start - 1..<at + 1
          }
        }
      }
      at -= 1
    }
    return nil
  }

  private static let dots: [[UInt8]] = [Array("·".utf8), Array("•".utf8)]
  private static let dashes: [[UInt8]] = [Array("-".utf8), Array("–".utf8), Array("—".utf8)]

  static func trimmed(_ label: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
    while start < end, NoteLines.isBlank(label[start]) { start += 1 }
    while end > start, NoteLines.isBlank(label[end - 1]) { end -= 1 }
    return start..<end
  }
}

/// The mark at the beginning or end of a checklist line: a box, a bullet that is not Markdown syntax, or a blank to
/// fill in.
struct StepMark {
  /// The bytes of the mark, at the beginning of the line.
  var leading: Range<Int>?
  /// The underscores at the end of the line.
  var trailing: Range<Int>?
  /// The rest of the line, without blanks around it.
  var label: Range<Int>
  /// Whether the mark is a ticked box.
  var isTicked = false
  /// Whether the mark is a box: `[ ]`, `☐`.
  var isBox = false

  /// Looks for a mark in a range of one line; nil if no mark is found.
  init?(_ text: Span<UInt8>, _ part: Range<Int>) {
    let line = Self.trimmed(text, part)
    label = line
    guard line.count >= 3 else { return nil }
    if let (length, inside) = Self.sign(text, line) {
      let whole = length + Self.selector(text, line.lowerBound + length, line.upperBound)
      leading = line.lowerBound..<line.lowerBound + whole
      isBox = inside != nil || Self.isBoxSign(text, line.lowerBound, line.upperBound)
      isTicked = inside.map { Self.isTicked(text, $0) } ?? Self.isTick(text, line)
    } else if let length = Self.underscores(text, line) {
      leading = line.lowerBound..<line.lowerBound + length
    }
    if let leading { label = Self.trimmed(text, leading.upperBound..<line.upperBound) }
    var end = label.upperBound
    while end > label.lowerBound, text[end - 1] == UInt8(ascii: "_") { end -= 1 }
    if label.upperBound - end >= 3, leading == nil || leading.map({ text[$0.lowerBound] == UInt8(ascii: "_") }) == true
    {
      trailing = end..<label.upperBound
      label = Self.trimmed(text, label.lowerBound..<end)
    }
    // A line of underscores is a rule, and a line of other signs without text is not a step.
    guard !label.isEmpty, leading != nil || trailing != nil || Self.hasBlankInside(text, label) else { return nil }
    // `__bold__` has no blank after its underscores.
    if let leading, text[leading.lowerBound] == UInt8(ascii: "_"), label.lowerBound == leading.upperBound,
      trailing != nil
    {
      return nil
    }
  }

  /// Returns the length of a box at the beginning: `[ ]`, `[x]`, `[]`, or one of Obsidian's other states, `[/]`, `[-]`
  /// and `[>]`. White space or the end of the line must follow; a word may also follow an empty or a ticked box.
  static func box(_ text: Span<UInt8>, _ line: Range<Int>) -> Int? {
    guard line.count >= 2, text[line.lowerBound] == UInt8(ascii: "[") else { return nil }
    let inside = line.lowerBound + 1
    var end = inside
    while end < line.upperBound, end - inside <= 3, text[end] != UInt8(ascii: "]") { end += 1 }
    guard end < line.upperBound, text[end] == UInt8(ascii: "]") else { return nil }
    var needsBlank = false
    switch end - inside {
    case 0: break
    case 1:
      if "/-><!?*~+".utf8.contains(text[inside]) {
        needsBlank = true
      } else if !NoteLines.isBlank(text[inside]), text[inside] | 0x20 != UInt8(ascii: "x") {
        return nil
      }
    // A no-break space or a tick.
    default:
      guard isTicked(text, line.lowerBound..<end + 1) || text[inside] == 0xC2 && text[inside + 1] == 0xA0 else {
        return nil
      }
    }
    let length = end + 1 - line.lowerBound
    guard end + 1 < line.upperBound else { return length }
    let next = text[end + 1]
    if NoteLines.isBlank(next) || next == 0xC2 && isSpace(text, end + 1, line.upperBound) { return length }
    // `[x](y)`, `[x][y]` and `[x]: y` are links.
    let isWord = (0x61...0x7A).contains(next | 0x20) || (0x30...0x39).contains(next) || next >= 0x80
    return !needsBlank && isWord ? length : nil
  }

  /// Whether a box is ticked: `[x]`, `[X]`, their Cyrillic lookalikes, `[✓]` or `[✔]`.
  static func isTicked(_ text: Span<UInt8>, _ box: Range<Int>) -> Bool {
    guard box.count > 2 else { return false }
    let inside = box.lowerBound + 1
    switch box.count {
    case 3: return text[inside] | 0x20 == UInt8(ascii: "x")
    case 4: return (text[inside], text[inside + 1]) == (0xD1, 0x85) || (text[inside], text[inside + 1]) == (0xD0, 0xA5)
    case 5: return text[inside] == 0xE2 && text[inside + 1] == 0x9C && (0x93...0x94).contains(text[inside + 2])
    default: return false
    }
  }

  /// Returns the length of the sign at the beginning of a line, and the box if the sign is a bracketed box.
  private static func sign(
    _ text: Span<UInt8>, _ line: Range<Int>
  ) -> (length: Int, box: Range<Int>?)? {
    if text[line.lowerBound] == UInt8(ascii: "[") {
      return box(text, line).map { ($0, line.lowerBound..<line.lowerBound + $0) }
    }
    let at = line.lowerBound
    // Markdown does not recognize a task that is below a paragraph and indented by four columns: `Clothes:` above
    // `    - [ ] hat`. Nor does it recognize a task without a blank after its bullet: `-[ ] hat`.
    if text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "*") || text[at] == UInt8(ascii: "+") {
      let start = NoteLines.isBlank(text[at + 1]) ? at + 2 : at + 1
      guard start + 2 < line.upperBound, let box = box(text, start..<line.upperBound) else { return nil }
      return (start - at + box, start..<start + box)
    }
    return plainSign(text, line).map { ($0, nil) }
  }

  private static func plainSign(_ text: Span<UInt8>, _ line: Range<Int>) -> Int? {
    let at = line.lowerBound
    if line.count > 4, isEmojiBox(text, at) { return 4 }
    switch (text[at], text[at + 1], text[at + 2]) {
    // ☐ ☑, □ ◻ ▢, ✓ ✔, •, ‣, ▪, ○ ●
    case (0xE2, 0x98, 0x90), (0xE2, 0x98, 0x91), (0xE2, 0x96, 0xA1), (0xE2, 0x97, 0xBB), (0xE2, 0x96, 0xA2),
      (0xE2, 0x9C, 0x93), (0xE2, 0x9C, 0x94), (0xE2, 0x80, 0xA2), (0xE2, 0x80, 0xA3), (0xE2, 0x96, 0xAA),
      (0xE2, 0x97, 0x8B), (0xE2, 0x97, 0x8F):
      return 3
    // ⬜, ❏ ❐ ❑ ❒, ✅ ❌ ❎
    case (0xE2, 0xAC, 0x9C), (0xE2, 0x9D, 0x8F...0x92), (0xE2, 0x9C, 0x85), (0xE2, 0x9D, 0x8C), (0xE2, 0x9D, 0x8E):
      return 3
    // – and —, if a blank follows
    case (0xE2, 0x80, 0x93), (0xE2, 0x80, 0x94):
      return line.count > 3 && isSpace(text, at + 3, line.upperBound) ? 3 : nil
    // ·
    case (0xC2, 0xB7, _): return isSpace(text, at + 2, line.upperBound) ? 2 : nil
    default: return nil
    }
  }

  /// Whether a sign is a box to tick: ☐ ☑ □ ◻ ▢ ⬜ ❏ ❐ ❑ ❒ 🔲 🔳.
  private static func isBoxSign(_ text: Span<UInt8>, _ at: Int, _ end: Int) -> Bool {
    if at + 3 < end, isEmojiBox(text, at) { return true }
    guard at + 2 < end, text[at] == 0xE2 else { return false }
    switch (text[at + 1], text[at + 2]) {
    case (0x98, 0x90), (0x98, 0x91), (0x96, 0xA1), (0x97, 0xBB), (0x96, 0xA2), (0xAC, 0x9C), (0x9D, 0x8F...0x92):
      return true
    default: return false
    }
  }

  /// Whether a sign is 🔲 or 🔳.
  static func isEmojiBox(_ text: Span<UInt8>, _ at: Int) -> Bool {
    at + 3 < text.count && text[at] == 0xF0 && text[at + 1] == 0x9F && text[at + 2] == 0x94
      && (text[at + 3] == 0xB2 || text[at + 3] == 0xB3)
  }

  /// Returns the length of the variation selector that follows a sign and requests its emoji form: `☑️`.
  private static func selector(_ text: Span<UInt8>, _ at: Int, _ end: Int) -> Int {
    at + 2 < end && text[at] == 0xEF && text[at + 1] == 0xB8 && text[at + 2] == 0x8F ? 3 : 0
  }

  private static func isTick(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    text[line.lowerBound] == 0xE2 && text[line.lowerBound + 1] == 0x98 && text[line.lowerBound + 2] == 0x91
  }

  /// Whether a character is a blank, a tab or a no-break space.
  private static func isSpace(_ text: Span<UInt8>, _ at: Int, _ end: Int) -> Bool {
    guard at < end else { return false }
    return NoteLines.isBlank(text[at]) || (text[at] == 0xC2 && at + 1 < end && text[at + 1] == 0xA0)
  }

  private static func underscores(_ text: Span<UInt8>, _ line: Range<Int>) -> Int? {
    var end = line.lowerBound
    while end < line.upperBound, text[end] == UInt8(ascii: "_") { end += 1 }
    return end - line.lowerBound >= 3 ? end - line.lowerBound : nil
  }

  /// Whether a line is like `Fuel ____ l`, with a blank to fill in that is followed by at most a unit.
  private static func hasBlankInside(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    var end = line.upperBound
    while end > line.lowerBound, line.upperBound - end <= 12, text[end - 1] != UInt8(ascii: "_") { end -= 1 }
    var start = end
    while start > line.lowerBound, text[start - 1] == UInt8(ascii: "_") { start -= 1 }
    return end - start >= 3 && end < line.upperBound && text[end] == 0x20 && start > line.lowerBound
      && NoteLines.isBlank(text[start - 1])
  }

  private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
    while start < end, NoteLines.isBlank(text[start]) { start += 1 }
    while end > start, NoteLines.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }
}

/// The words that follow the title on a step's line, in the checklist's language.
struct StepWords {
  /// Whether the words are Russian.
  let isRussian: Bool

  /// Returns the title on one line, followed by the words for the step's attributes.
  func line(_ step: StepDraft) -> [UInt8] { MarkdownRoundTrip.line(step.title.bytes) + rest(step) }

  /// Returns the words after the title.
  func rest(_ step: StepDraft) -> [UInt8] {
    var line: [UInt8] = []
    let index = isRussian ? 1 : 0
    if step.isRequired { line += StepNotation.dot + StepNotation.required[index] }
    if step.isOptional { line += StepNotation.dot + StepNotation.optional[index] }
    if let minutes = step.minutes?.bytes, StepNotation.isPlainNumber(minutes[...]) {
      line += StepNotation.dot + minutes + StepNotation.minutes[index]
    }
    let tags = step.tags.map { MarkdownRoundTrip.line($0.bytes) }.filter { !$0.isEmpty }
    guard !tags.isEmpty else { return line }
    line += StepNotation.dot
    if tags.allSatisfy({ StepNotation.isTag($0[...]) }) {
      line += tags.map { [UInt8(ascii: "#")] + $0 }.joined(separator: [0x20])
    } else {
      line += StepNotation.tagList + [0x20] + tags.joined(separator: [UInt8(ascii: ","), 0x20])
    }
    return line
  }
}

/// Reads the title of a section from its heading, or from a line that acts as a heading.
enum HeadingNotation {
  /// Returns the text of a heading, whether marked with `#` or underlined, and the ranges of its marks.
  static func read(_ note: NoteLines, _ lines: Range<Int>, from start: Int) -> (SourcedText, marks: [Range<Int>]) {
    let first = note.lines[lines.lowerBound]
    let from = min(max(start, first.lowerBound), first.upperBound)
    let line = note.trimmed(from..<first.upperBound)
    if lines.count == 1 {
      guard let heading = LineSyntax.heading(note.text.span, at: line.lowerBound, end: line.upperBound) else {
        return (SourcedText(note.text.span, line), [])
      }
      let title = heading.text
      let inner = withoutBold(note.text.span, title)
      let bold = inner == title ? [] : [title.lowerBound..<inner.lowerBound, inner.upperBound..<title.upperBound]
      let opening = line.lowerBound..<line.lowerBound + heading.level
      let closing = heading.closing.isEmpty ? [] : [heading.closing]
      return (SourcedText(note.text.span, inner), [opening] + closing + bold)
    }
    let underline = note.lines[lines.upperBound - 1]
    let parts = [line] + lines.dropFirst().dropLast().map { note.trimmed(note.lines[$0]) }
    return (note.joined(parts), [underline])
  }

  /// Returns the title if a line of text acts as one: the line is completely bold, or is short and ends with a colon.
  /// Returns nil for other lines.
  /// - Parameter isRightAbove: whether the list begins on the next line, so that any short line is accepted.
  static func plain(
    _ note: NoteLines, _ line: Range<Int>, isRightAbove: Bool = false
  ) -> (SourcedText, marks: [Range<Int>])? {
    let text = note.text.span
    var title = line
    var marks: [Range<Int>] = []
    func dropColon() {
      guard let last = title.last, text[last] == UInt8(ascii: ":") else { return }
      marks.append(last..<last + 1)
      title = note.trimmed(title.lowerBound..<last)
    }
    dropColon()
    let hasColon = !marks.isEmpty
    let isBold =
      title.count > 4 && isPair(text, title.lowerBound) && isPair(text, title.upperBound - 2)
      && text[title.lowerBound] == text[title.upperBound - 1]
    if isBold {
      let inner = note.trimmed(title.lowerBound + 2..<title.upperBound - 2)
      guard !inner.contains(where: { text[$0] == text[title.lowerBound] }), !inner.isEmpty else { return nil }
      marks += [title.lowerBound..<title.lowerBound + 2, title.upperBound - 2..<title.upperBound]
      title = inner
      if !hasColon { dropColon() }
    } else {
      // A sentence that introduces a list is not a title.
      let isTitle = hasColon && title.count <= 80 && !hasStop(text, title) || isRightAbove && isShort(text, title)
      guard isTitle, !title.isEmpty else { return nil }
    }
    return title.isEmpty ? nil : (SourcedText(text, title), marks)
  }

  /// Returns the content of a completely bold text such as `**Engine**`, or the range of the whole text if it is not
  /// completely bold.
  static func withoutBold(_ text: Span<UInt8>, _ title: Range<Int>) -> Range<Int> {
    guard title.count > 4, isPair(text, title.lowerBound), isPair(text, title.upperBound - 2),
      text[title.lowerBound] == text[title.upperBound - 1]
    else { return title }
    let inner = title.lowerBound + 2..<title.upperBound - 2
    let mark = text[title.lowerBound]
    guard !inner.contains(where: { text[$0] == mark }), !NoteLines.isBlank(text[inner.lowerBound]),
      !NoteLines.isBlank(text[inner.upperBound - 1])
    else { return title }
    return inner
  }

  /// Whether a line may be the title of the list directly below it, because it is short and does not look like a
  /// sentence.
  static func isShort(_ text: Span<UInt8>, _ line: Range<Int>) -> Bool {
    guard let last = line.last, line.count <= 80, !hasStop(text, line) else { return false }
    // Letters of other scripts take several bytes, so characters are counted.
    let letters = line.reduce(0) { $0 + (text[$1] & 0xC0 != 0x80 ? 1 : 0) }
    return letters <= 40 && !".,;!?".utf8.contains(text[last]) && text[line.lowerBound] != UInt8(ascii: ">")
  }

  private static func isPair(_ text: Span<UInt8>, _ at: Int) -> Bool {
    text[at] == text[at + 1] && (text[at] == UInt8(ascii: "*") || text[at] == UInt8(ascii: "_"))
  }

  private static func hasStop(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    range.dropLast().contains {
      text[$0 + 1] == 0x20
        && (text[$0] == UInt8(ascii: ".") || text[$0] == UInt8(ascii: "!") || text[$0] == UInt8(ascii: "?"))
    }
  }
}

/// Finds the first heading of a guide, which is the guide's title if the front matter has no title.
enum FirstHeading {
  /// Returns the heading's text without marks; nil if there is no heading. Headings in code, quotes and lists do not
  /// count, and neither do underlined paragraphs of several lines.
  static func find(_ text: Span<UInt8>, in tree: MarkdownTree) -> Range<Int>? {
    for block in tree.blocks where block.parent == 0 {
      guard case .heading = block.kind, block.lines.count <= 2 else { continue }
      let end = tree.lines[block.lines.lowerBound].upperBound
      guard block.lines.count == 1, let heading = LineSyntax.heading(text, at: block.start, end: end) else {
        return LineSyntax.trimmed(text, block.start..<end)
      }
      if !heading.text.isEmpty { return HeadingNotation.withoutBold(text, heading.text) }
    }
    return nil
  }
}

/// Reads durations as people type them after a step: `5 mins`, `1 h`, `1 h 30`, `1,5 hours`.
enum StepDuration {
  private static let minutes: Set<String> = [
    "min", "min.", "mins", "mins.", "minute", "minutes", "minuten", "minuto", "minutos", "minuti", "мин", "мин.",
    "минут", "минута", "минуты",
  ]
  private static let hours: Set<String> = [
    "h", "hr", "hrs", "hr.", "hrs.", "hour", "hours", "std", "std.", "stunde", "stunden", "heure", "heures", "hora",
    "horas", "ora", "ore", "ч", "ч.", "час", "часа", "часов",
  ]

  /// Returns the minutes of a duration, as JSON; nil if the text is not a duration, or is longer than a month.
  /// - Parameter text: the duration in lower case.
  static func minutes(_ text: String) -> String? {
    var rest = Substring(text)
    guard let first = number(&rest) else { return nil }
    // `5m`; after a blank, `m` means metres.
    if rest == "m", first.isWhole { return shown(first.value) }
    let unit = word(&rest)
    if minutes.contains(unit) { return rest.isEmpty ? shown(first.value) : nil }
    guard hours.contains(unit) else { return nil }
    if rest.isEmpty { return shown(first.value * 60) }
    // `1 h 30`, `1h30min`
    guard first.isWhole, let second = number(&rest), second.isWhole, second.value < 60 else { return nil }
    let last = word(&rest)
    guard rest.isEmpty, last.isEmpty || last == "m" || minutes.contains(last) else { return nil }
    return shown(first.value * 60 + second.value)
  }

  /// Removes the number at the beginning and returns it.
  private static func number(_ rest: inout Substring) -> (value: Double, isWhole: Bool)? {
    let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    guard digits.count <= 7, let first = digits.first, first.isNumber, digits.last?.isNumber == true,
      let value = Double(digits.replacing(",", with: "."))
    else { return nil }
    rest = rest[digits.endIndex...]
    return (value, !digits.contains { $0 == "." || $0 == "," })
  }

  /// Removes the word at the beginning, with the blanks around it, and returns the word.
  private static func word(_ rest: inout Substring) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }
    let word = rest.prefix { $0.isLetter || $0 == "." }
    rest = rest[word.endIndex...].drop { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }
    return String(word)
  }

  private static func shown(_ minutes: Double) -> String? {
    guard minutes <= 44_640 else { return nil }
    let rounded = (minutes * 100).rounded() / 100
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}
