/// Finds the front matter at the beginning of a note, and the beginning of the body.
///
/// Front matter is between two lines of `---` (the second may be `...`); Hugo's TOML is between two lines of `+++`.
/// Blanks after them do not count; lines end with LF, CRLF or CR. A rule at the beginning of a note is not mistaken for
/// front matter: there must be nothing at all between the lines, or `key: value` lines and no more lines of other kinds
/// than of those.
/// All offsets count from the start of the text. Time is linear, and bounded by `longest`.
public struct FrontMatterBlock: Sendable, Equatable {
  /// The language of the front matter.
  public enum Kind: Sendable, Equatable {
    case yaml
    /// Between lines of `+++`, as Hugo and Zola write it.
    case toml
  }

  /// The language of the front matter.
  public let kind: Kind
  /// The lines between the fences, line ends included.
  public let content: Range<Int>
  /// The whole front matter, including both fences and the line end after the second one.
  public let block: Range<Int>
  /// The text after it.
  public let body: Range<Int>

  /// The limit for the offset of the closing line, in bytes. A later closing line does not end front matter.
  public static let longest = 1 << 20

  /// Finds the front matter of a note; nil if it has none.
  /// - Parameter text: the note without a byte order mark.
  public init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 3, text[0] == Self.dash || text[0] == Self.plus else { return nil }
    var line = Line(in: text, at: 0)
    guard line.isFence(text[0], in: text), line.next > line.end else { return nil }
    let isYAML = text[0] == Self.dash
    let start = line.next
    var count = LineCount()
    while line.next < text.count, line.next <= start + Self.longest {
      line = Line(in: text, at: line.next)
      if line.isFence(text[0], in: text) || isYAML && line.isFence(UInt8(ascii: "."), in: text) {
        guard count.isFrontMatter else { return nil }
        kind = isYAML ? .yaml : .toml
        content = start..<line.start
        block = 0..<line.next
        body = line.next..<text.count
        return
      }
      count.add(line, of: text, separator: isYAML ? UInt8(ascii: ":") : UInt8(ascii: "="))
    }
    return nil
  }

  private static let dash = UInt8(ascii: "-")
  private static let plus = UInt8(ascii: "+")

  /// One line of the text.
  private struct Line {
    let start: Int
    /// The offset after its last byte, without the line end.
    let end: Int
    /// Where the next line begins.
    let next: Int

    init(in text: UnsafeBufferPointer<UInt8>, at start: Int) {
      self.start = start
      var at = start
      while at < text.count, text[at] != 0x0A, text[at] != 0x0D { at += 1 }
      end = at
      if at + 1 < text.count, text[at] == 0x0D, text[at + 1] == 0x0A { at += 1 }
      next = min(text.count, at + 1)
    }

    /// Whether it consists of `byte` three times, and blanks.
    func isFence(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>) -> Bool {
      guard end - start >= 3, text[start] == byte, text[start + 1] == byte, text[start + 2] == byte else {
        return false
      }
      return text[start + 3..<end].allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
  }

  /// The counts of the kinds of lines between the fences.
  private struct LineCount {
    private var keys = 0
    private var others = 0
    private var comments = 0

    /// Only blank lines: Jekyll's empty front matter.
    var isFrontMatter: Bool { keys > 0 ? others <= keys : others == 0 && comments == 0 }

    mutating func add(_ line: Line, of text: UnsafeBufferPointer<UInt8>, separator: UInt8) {
      guard let first = text[line.start..<line.end].first(where: { $0 != 0x20 && $0 != 0x09 }) else { return }
      switch text[line.start] {
      // An indented line belongs to the line above.
      case 0x20, 0x09: return
      // A heading between two rules is not a comment.
      case UInt8(ascii: "#"): comments += 1
      // Elements of a list, and closing brackets.
      case UInt8(ascii: "]"), UInt8(ascii: "}"): return
      case UInt8(ascii: "-") where line.end - line.start == 1 || text[line.start + 1] == 0x20: return
      case UInt8(ascii: "{"), UInt8(ascii: "["): keys += 1
      case UInt8(ascii: ">"), UInt8(ascii: "*"), UInt8(ascii: "|"): others += 1
      default: if isKey(line, first, text, separator) { keys += 1 } else { others += 1 }
      }
    }

    /// Whether a line begins like `key:`: at most four words, or anything in quotes.
    private func isKey(
      _ line: Line, _ first: UInt8, _ text: UnsafeBufferPointer<UInt8>, _ separator: UInt8
    ) -> Bool {
      let isQuoted = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
      var words = 1
      for at in line.start..<line.end {
        let byte = text[at]
        if byte == separator, at > line.start {
          if separator == UInt8(ascii: "=") { return true }
          if at + 1 == line.end || text[at + 1] == 0x20 || text[at + 1] == 0x09 { return true }
        }
        if byte == 0x20, !isQuoted {
          words += 1
          if words > 4 { return false }
        }
      }
      return false
    }
  }
}
