import Foundation
import JSONText

/// Counts lines and columns for offsets that mostly grow: lines by looking for their ends, columns inside a line only.
struct LinePlaces {
  private var line = 1
  private var lineStart = 0
  /// How far columns of the line are counted.
  private var counted = 0
  private var column = 1

  /// Line and column of byte `offset` of `text`, which must be the same text at every call.
  mutating func position(of offset: Int, in text: UnsafeBufferPointer<UInt8>) -> TextPosition {
    guard let base = text.baseAddress else { return TextPosition(line: 1, column: 1) }
    let end = min(max(0, offset), text.count)
    if end < counted { (line, lineStart, counted, column) = (1, 0, 0, 1) }
    while counted < end, let found = memchr(base + counted, 0x0A, end - counted) {
      line += 1
      lineStart = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
      (counted, column) = (lineStart, 1)
    }
    for at in counted..<end where base[at] & 0xC0 != 0x80 { column += 1 }
    counted = end
    return TextPosition(line: line, column: column)
  }
}
