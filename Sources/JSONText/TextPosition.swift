/// A place in a text as an editor shows it: line and column, both from 1.
///
/// A column counts Unicode scalars, so that it agrees with editors for any script that needs no joining.
/// LF ends a line; a CR before it belongs to the line.
public struct TextPosition: Equatable, Hashable, Sendable {
  /// Line, from 1.
  public let line: Int
  /// Column in Unicode scalars, from 1.
  public let column: Int

  /// Makes a position from numbers that are already known.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Finds the line and column of byte `offset`; an offset past the end stands behind the last byte.
  public init(offset: Int, in text: UnsafeBufferPointer<UInt8>) {
    let end = min(max(0, offset), text.count)
    var line = 1
    var lineStart = 0
    for index in 0..<end where text[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    self.init(line: line, column: Self.column(of: end, lineStart: lineStart, in: text))
  }

  /// The column of byte `offset` on the line that starts at `lineStart`.
  public static func column(of offset: Int, lineStart: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    var scalars = 0
    for index in min(lineStart, offset)..<min(offset, text.count) where text[index] & 0xC0 != 0x80 {
      scalars += 1
    }
    return scalars + 1
  }
}
