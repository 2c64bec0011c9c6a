/// The front matter at the beginning of a note, and the body after it.
///
/// Front matter is between two lines of `---` (the second may be `...`); Hugo's TOML is between two lines of `+++`.
/// Blanks after the fences are ignored; lines end with LF, CRLF or CR. A rule at the beginning of a note is not
/// mistaken for front matter: between the fences, there must be only blank lines, or `key: value` lines and at most the
/// same number of other lines. All offsets count from the start of the text. The time is linear, and is bounded by
/// `longest`.
public struct FrontMatterBlock: Sendable, Equatable {
  /// The language of the front matter.
  public enum Kind: Sendable, Equatable {
    case yaml
    /// TOML between lines of `+++`, as in Hugo and Zola.
    case toml
  }

  /// The language of the front matter.
  public let kind: Kind
  /// The range of the lines between the fences, including line ends.
  public let content: Range<Int>
  /// The range of the whole front matter, including both fences and the line end after the closing fence.
  public let block: Range<Int>
  /// The range of the text after the front matter.
  public let body: Range<Int>

  /// The maximum offset of the closing fence, in bytes. A later fence does not end front matter.
  public static let longest = 1 << 20

  /// Finds the front matter of a note; nil if the note has no front matter.
  /// - Parameter text: the note without a byte order mark.
  public init?(_ text: Span<UInt8>) {
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
    /// The offset after the line's last byte, excluding the line end.
    let end: Int
    /// The offset at which the next line begins.
    let next: Int

    init(in text: Span<UInt8>, at start: Int) {
      self.start = start
      var at = start
      while at < text.count, text[at] != 0x0A, text[at] != 0x0D { at += 1 }
      end = at
      if at + 1 < text.count, text[at] == 0x0D, text[at + 1] == 0x0A { at += 1 }
      next = min(text.count, at + 1)
    }

    /// Whether the line consists of three times `byte` and trailing blanks.
    fileprivate func isFence(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
      guard end - start >= 3, text[start] == byte, text[start + 1] == byte, text[start + 2] == byte else {
        return false
      }
      return (start + 3..<end).allSatisfy { text[$0] == 0x20 || text[$0] == 0x09 }
    }
  }

  /// The number of lines of each kind between the fences.
  private struct LineCount {
    private var keys = 0
    private var others = 0
    private var comments = 0

    /// Whether the lines are front matter. Jekyll's empty front matter has only blank lines.
    fileprivate var isFrontMatter: Bool { keys > 0 ? others <= keys : others == 0 && comments == 0 }

    mutating func add(_ line: Line, of text: Span<UInt8>, separator: UInt8) {
      guard let first = (line.start..<line.end).first(where: { text[$0] != 0x20 && text[$0] != 0x09 }) else { return }
      switch text[line.start] {
      // An indented line belongs to the line above it.
      case 0x20, 0x09: return
      // A line with `#` may also be a heading between two rules.
      case UInt8(ascii: "#"): comments += 1
      // List elements and closing brackets do not count.
      case UInt8(ascii: "]"), UInt8(ascii: "}"): return
      case UInt8(ascii: "-") where line.end - line.start == 1 || text[line.start + 1] == 0x20: return
      case UInt8(ascii: "{"), UInt8(ascii: "["): keys += 1
      case UInt8(ascii: ">"), UInt8(ascii: "*"), UInt8(ascii: "|"): others += 1
      default: if isKey(line, text[first], text, separator) { keys += 1 } else { others += 1 }
      }
    }

    /// Whether a line begins with a key, such as `key:`. A key has at most four words unless it is quoted.
    private func isKey(_ line: Line, _ first: UInt8, _ text: Span<UInt8>, _ separator: UInt8) -> Bool {
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
