/// The mark that a line of a checklist begins or ends with: a box, a bullet that Markdown does not know, a blank to tick.
struct StepMark {
  /// The bytes of the mark, at the beginning of the line.
  var leading: Range<Int>?
  /// The underscores at the end of the line.
  var trailing: Range<Int>?
  /// What is left of the line, without blanks around it.
  var label: Range<Int>
  /// Whether the mark is a ticked box.
  var isTicked = false

  /// Looks for a mark in a part of one line; nil when there is none.
  init?(_ text: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) {
    let line = Self.trimmed(text, part)
    label = line
    guard line.count >= 3 else { return nil }
    if let sign = Self.sign(text, line) {
      let length = sign + Self.selector(text, line.lowerBound + sign, line.upperBound)
      leading = line.lowerBound..<line.lowerBound + length
      isTicked = text[line.lowerBound + sign - 2] | 0x20 == UInt8(ascii: "x") || Self.isTick(text, line)
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
    // Underscores alone are a rule; signs alone are none either.
    guard !label.isEmpty, leading != nil || trailing != nil || Self.hasBlankInside(text, label) else { return nil }
    // `__bold__` has no blank behind its underscores.
    if let leading, text[leading.lowerBound] == UInt8(ascii: "_"), label.lowerBound == leading.upperBound,
      trailing != nil
    {
      return nil
    }
  }

  /// The length of a box at the beginning: `[ ]`, `[x]`, `[X]`, followed by white space or nothing.
  static func box(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Int? {
    guard line.count >= 3 else { return nil }
    let at = line.lowerBound
    guard text[at] == UInt8(ascii: "["), text[at + 2] == UInt8(ascii: "]"),
      text[at + 1] == 0x20 || text[at + 1] == 0x09 || text[at + 1] | 0x20 == UInt8(ascii: "x"),
      line.count == 3 || NoteLines.isBlank(text[at + 3])
    else { return nil }
    return 3
  }

  private static func sign(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Int? {
    if text[line.lowerBound] == UInt8(ascii: "[") { return box(text, line) }
    let at = line.lowerBound
    // A task below a paragraph and indented by four is none to Markdown: `Clothes:` with `    - [ ] hat`.
    if text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "*") || text[at] == UInt8(ascii: "+") {
      guard line.count > 5, NoteLines.isBlank(text[at + 1]), let box = box(text, at + 2..<line.upperBound) else {
        return nil
      }
      return box + 2
    }
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
    // – —: a blank must follow
    case (0xE2, 0x80, 0x93), (0xE2, 0x80, 0x94):
      return line.count > 3 && isSpace(text, at + 3, line.upperBound) ? 3 : nil
    // ·
    case (0xC2, 0xB7, _): return isSpace(text, at + 2, line.upperBound) ? 2 : nil
    default: return nil
    }
  }

  /// 🔲 🔳
  static func isEmojiBox(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    at + 3 < text.count && text[at] == 0xF0 && text[at + 1] == 0x9F && text[at + 2] == 0x94
      && (text[at + 3] == 0xB2 || text[at + 3] == 0xB3)
  }

  /// How long the selector behind a sign is that makes it colourful: `☑️`.
  private static func selector(_ text: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int) -> Int {
    at + 2 < end && text[at] == 0xEF && text[at + 1] == 0xB8 && text[at + 2] == 0x8F ? 3 : 0
  }

  private static func isTick(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    text[line.lowerBound] == 0xE2 && text[line.lowerBound + 1] == 0x98 && text[line.lowerBound + 2] == 0x91
  }

  /// A blank, a tab or a blank that does not break.
  private static func isSpace(_ text: UnsafeBufferPointer<UInt8>, _ at: Int, _ end: Int) -> Bool {
    guard at < end else { return false }
    return NoteLines.isBlank(text[at]) || (text[at] == 0xC2 && at + 1 < end && text[at + 1] == 0xA0)
  }

  private static func underscores(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Int? {
    var end = line.lowerBound
    while end < line.upperBound, text[end] == UInt8(ascii: "_") { end += 1 }
    return end - line.lowerBound >= 3 ? end - line.lowerBound : nil
  }

  /// `Fuel ____ l`: a blank to fill in, and behind it no more than a unit.
  private static func hasBlankInside(_ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    var end = line.upperBound
    while end > line.lowerBound, line.upperBound - end <= 12, text[end - 1] != UInt8(ascii: "_") { end -= 1 }
    var start = end
    while start > line.lowerBound, text[start - 1] == UInt8(ascii: "_") { start -= 1 }
    return end - start >= 3 && end < line.upperBound && text[end] == 0x20 && start > line.lowerBound
      && NoteLines.isBlank(text[start - 1])
  }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
    while start < end, NoteLines.isBlank(text[start]) { start += 1 }
    while end > start, NoteLines.isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }
}
