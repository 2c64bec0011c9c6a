/// Counts lines and columns in a text for offsets that mostly go forward: asking for all of them costs one walk.
///
/// Going back costs a short walk too: what stands at every `distance` bytes is remembered, 24 bytes each.
public struct PlaceCounter: Sendable {
  private struct Mark {
    var offset = 0
    var line = 1
    var column = 1
  }

  private static let distance = 1 << 14
  private var at = Mark()
  /// What stands at `distance`, twice `distance` and so on, as far as the text was walked.
  private var marks: [Mark] = []

  /// Begins at the start of a text.
  public init() {}

  /// Line and column of byte `wanted` of `text`, which must be the same text at every call.
  public mutating func position(of wanted: Int, in text: UnsafeBufferPointer<UInt8>) -> TextPosition {
    let end = min(max(0, wanted), text.count)
    let known = min(end / Self.distance, marks.count)
    let nearest = known == 0 ? Mark() : marks[known - 1]
    if end < at.offset || nearest.offset > at.offset { at = nearest }
    while at.offset < end {
      let stop = min(end, (at.offset / Self.distance + 1) * Self.distance)
      walk(to: stop, in: text)
      if stop / Self.distance > marks.count { marks.append(at) }
    }
    return TextPosition(line: at.line, column: at.column)
  }

  private mutating func walk(to stop: Int, in text: UnsafeBufferPointer<UInt8>) {
    for byte in text[at.offset..<stop] {
      if byte == 0x0A {
        at.line += 1
        at.column = 1
      } else if byte & 0xC0 != 0x80 {
        at.column += 1
      }
    }
    at.offset = stop
  }
}
