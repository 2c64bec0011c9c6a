/// Counts lines and columns in a text for offsets that mostly go forward: asking for all of them costs one walk.
public struct PlaceCounter: Sendable {
  private var offset = 0
  private var line = 1
  private var column = 1

  /// Begins at the start of a text.
  public init() {}

  /// Line and column of byte `wanted` of `text`, which must be the same text at every call.
  public mutating func position(of wanted: Int, in text: UnsafeBufferPointer<UInt8>) -> TextPosition {
    if wanted < offset { self = PlaceCounter() }
    let end = min(wanted, text.count)
    while offset < end {
      let byte = text[offset]
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      offset += 1
    }
    return TextPosition(line: line, column: column)
  }
}
