/// A position in a text as an editor shows it: a line and a column, both counted from 1.
///
/// A column counts Unicode scalars, so it agrees with editors for any script without joining characters. LF ends a
/// line; a CR before LF belongs to the line.
public struct TextPosition: Equatable, Hashable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The column in Unicode scalars, counted from 1.
  public let column: Int

  /// Creates a position from known numbers.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Finds the line and column of byte `offset`; an offset past the end is the position after the last byte.
  public init(offset: Int, in text: Span<UInt8>) {
    let end = min(max(0, offset), text.count)
    var (line, column) = (1, 1)
    Self.walk(text, from: 0, to: end, &line, &column)
    self.init(line: line, column: column)
  }

  /// Returns the column of byte `offset` on the line that starts at `lineStart`.
  public static func column(of offset: Int, lineStart: Int, in text: Span<UInt8>) -> Int {
    var (line, column) = (1, 1)
    walk(text, from: min(lineStart, offset, text.count), to: min(offset, text.count), &line, &column)
    return column
  }

  /// Counts lines and columns from byte `start`, which is at `line` and `column`, to byte `stop`.
  /// - Precondition: `start` and `stop` are within the text.
  public static func walk(
    _ text: Span<UInt8>, from start: Int, to stop: Int, _ line: inout Int, _ column: inout Int
  ) {
    guard start < stop else { return }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var at = start
    func step(to end: Int) {
      while at < end {
        if text[at] == 0x0A {
          line += 1
          column = 1
        } else if text[at] & 0xC0 != 0x80 {
          column += 1
        }
        at += 1
      }
    }
    while at + 8 <= stop {
      let word = text.word(at: at)
      let breaks = word ^ (ones &* 0x0A)
      if (breaks &- ones) & ~breaks & highs != 0 {
        step(to: at + 8)
      } else {
        // A byte of the form 10xxxxxx continues a scalar.
        column += 8 - (word & ~(word << 1) & highs).nonzeroBitCount
        at += 8
      }
    }
    step(to: stop)
  }
}

/// Counts lines and columns in a text for many offsets. All queries together cost about one pass.
///
/// Findings about a value alternate with findings about its content, so queries often go backwards. Marks make this
/// cheap, even on one very long line. Memory grows by one mark for each `stretch` bytes that were read.
public struct PlaceCounter: Sendable {
  /// The known position of a byte in the text.
  private struct Mark {
    var offset = 0
    var line = 1
    var column = 1
  }

  /// The number of bytes between marks.
  private static let stretch = 2048

  private var last = Mark()
  /// The total number of bytes read.
  package private(set) var steps = 0
  /// The marks; mark `n` is at byte `n * stretch`.
  private var marks = [Mark()]

  /// Creates a counter at the start of a text.
  public init() {}

  /// Returns the line and column of byte `wanted` of `text`, which must be the same text in every call.
  public mutating func position(of wanted: Int, in text: Span<UInt8>) -> TextPosition {
    let end = min(max(0, wanted), text.count)
    // This also reads ahead, because each finding about a large value needs the position of the value's end.
    let mark = marks[min(end / Self.stretch, marks.count - 1)]
    if end < last.offset || mark.offset > last.offset { last = mark }
    while last.offset < end {
      let stop = min(end, (last.offset / Self.stretch + 1) * Self.stretch)
      walk(to: stop, in: text)
      if stop == marks.count * Self.stretch { marks.append(last) }
    }
    return TextPosition(line: last.line, column: last.column)
  }

  private mutating func walk(to stop: Int, in text: Span<UInt8>) {
    var (line, column) = (last.line, last.column)
    steps += stop - last.offset
    TextPosition.walk(text, from: last.offset, to: stop, &line, &column)
    last = Mark(offset: stop, line: line, column: column)
  }
}
