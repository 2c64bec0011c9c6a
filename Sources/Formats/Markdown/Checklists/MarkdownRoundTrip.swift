import MarkdownSyntax

/// Decides whether text survives a round trip through Markdown unchanged, and which part of it to show if it does not.
///
/// The checks are conservative: an unnecessary comment costs a few bytes, but a missing comment would lose the text.
enum MarkdownRoundTrip {
  /// Whether a heading can hold the text exactly.
  static func isHeading(_ text: [UInt8]) -> Bool {
    line(text) == text && text.last != UInt8(ascii: "#") && text.first != UInt8(ascii: "#")
      && PlainTitle.isPlain(text) && TitleSuffix.start(text, 0..<text.count) == text.count
      && HeadingNotation.withoutBold(text.span, 0..<text.count) == 0..<text.count
  }

  /// Whether text can begin at the left margin and consists only of paragraphs.
  static func isProse(_ text: [UInt8]) -> Bool {
    guard isPlainBlock(text), !isLabel(text) else { return false }
    return lines(text).allSatisfy { line in
      guard let first = line.first, let last = line.last else { return true }
      guard last != 0x20, isWordStart(line, first), !hasUnderscores(line) else { return false }
      return StepMark(line.span, 0..<line.count) == nil
    }
  }

  /// Whether the last line would be read as the title of a list that follows.
  private static func isLabel(_ text: [UInt8]) -> Bool {
    guard let last = text.split(separator: 0x0A).last else { return false }
    return last.withUnsafeBufferPointer {
      HeadingNotation.plain(NoteLines(text: $0, lines: MarkdownTree().lines), 0..<$0.count) != nil
    }
  }

  /// Whether text below a step is read back unchanged after its indentation is removed.
  static func isDetails(_ text: [UInt8]) -> Bool {
    isPlainBlock(text) && lines(text).contains { $0.first != 0x20 && !$0.isEmpty }
      && !lines(text).contains { box(in: $0) != nil }
  }

  /// Returns the text without boxes, because tasks below a step would be read as steps.
  static func withoutBoxes(_ text: [UInt8]) -> [UInt8] {
    let shown = lines(text).map { line -> [UInt8] in
      guard let box = box(in: line) else { return Array(line) }
      return line[..<box] + [UInt8(ascii: "\\")] + line[box...]
    }
    return Array(shown.joined(separator: [0x0A]))
  }

  /// Returns the offset of a line's box, after quotation marks, bullets and numbers; nil if the line has no box.
  private static func box(in line: ArraySlice<UInt8>) -> Int? {
    var at = line.startIndex
    while at < line.endIndex {
      let byte = line[at]
      if byte == UInt8(ascii: "[") || byte >= 0x80 {
        let rest = at - line.startIndex..<line.count
        return StepMark(line.span, rest)?.isBox == true || StepMark.box(line.span, rest) != nil ? at : nil
      }
      guard NoteLines.isBlank(byte) || ">-*+.)".utf8.contains(byte) || (0x30...0x39).contains(byte) else { return nil }
      at += 1
    }
    return nil
  }

  /// Whether the end of a line would be read as a FleetKit comment.
  static func endsLikeComment(_ line: [UInt8]) -> Bool {
    line.last == UInt8(ascii: ">") && line.suffix(3).first == 0x2D
  }

  /// Returns the text on one line: each run of control characters, such as line ends, becomes a single blank.
  static func line(_ text: [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(text.count)
    for byte in text {
      if byte < 0x20 || byte == 0x7F {
        if line.last != 0x20 { line.append(0x20) }
      } else {
        line.append(byte)
      }
    }
    while line.last == 0x20 { line.removeLast() }
    return Array(line.drop { $0 == 0x20 })
  }

  /// Returns the text without control characters, blanks at the ends of lines, or blank lines at either end.
  static func block(_ text: [UInt8]) -> [UInt8] {
    var lines: [[UInt8]] = []
    for part in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      var line = part.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
      while line.last == 0x20 { line.removeLast() }
      if !line.isEmpty || lines.last?.isEmpty == false { lines.append(line) }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return Array(lines.joined(separator: [0x0A]))
  }

  // MARK: Lines

  /// Whether text has no control characters, no blank lines at either end, and no lines that consist of blanks.
  private static func isPlainBlock(_ text: [UInt8]) -> Bool {
    guard let first = text.first, let last = text.last, first != 0x0A, last != 0x0A,
      text.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x0A })
    else { return false }
    return lines(text).allSatisfy { line in line.isEmpty || line.contains { $0 != 0x20 } }
  }

  private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// Whether a line begins with a letter or another character that has no meaning in Markdown at the beginning of a
  /// line.
  private static func isWordStart(_ line: ArraySlice<UInt8>, _ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "("),
      UInt8(ascii: "\""), UInt8(ascii: "'"):
      return true
    // Parsers skip a byte order mark.
    case 0x80...0xFF: return first != 0xEF
    case 0x30...0x39:
      let rest = line.drop { (0x30...0x39).contains($0) }
      return rest.first != UInt8(ascii: ".") && rest.first != UInt8(ascii: ")")
    default:
      return false
    }
  }

  private static func hasUnderscores(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "_") || line.last == UInt8(ascii: "_")
  }
}
