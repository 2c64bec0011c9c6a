import FleetKitCore
import Foundation

/// Finds the records of a text by line and column, and where they end.
enum RecordFinder {
  /// Line and column from 1, columns in Unicode scalars; a byte order mark is no column.
  struct Position: Hashable, Comparable {
    let line: Int
    let column: Int

    static func < (left: Position, right: Position) -> Bool { (left.line, left.column) < (right.line, right.column) }
  }

  /// The bytes of the objects and arrays that begin at `positions`, or behind white space there.
  ///
  /// One walk over the text, whatever the number of positions.
  /// - Parameter positions: in order.
  static func find(_ positions: [Position], in text: UnsafeBufferPointer<UInt8>) -> [Position: Range<Int>] {
    var found: [Position: Range<Int>] = [:]
    var line = 1
    var lineStart = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Where the last position was: many records may lie on one long line.
    var at = lineStart
    var column = 1
    for position in positions {
      while line < position.line {
        guard let next = lineEnd(after: lineStart, in: text) else { return found }
        line += 1
        lineStart = next
        at = next
        column = 1
      }
      while column < position.column, at < text.count, text[at] != 0x0A {
        at += 1
        while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
        column += 1
      }
      guard line == position.line, column == position.column else { continue }
      if let range = value(at: at, in: text) { found[position] = range }
    }
    return found
  }

  /// The first byte of the line behind the one that `start` lies in.
  private static func lineEnd(after start: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = text.baseAddress, start < text.count,
      let found = memchr(base + start, 0x0A, text.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
  }

  /// From the bracket that opens to the one that closes; nil when there is none. Whether it is JSON is not asked.
  private static func value(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var at = start
    while at < text.count, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
    let first = at
    guard at < text.count, text[at] == UInt8(ascii: "{") || text[at] == UInt8(ascii: "[") else { return nil }
    var depth = 0
    var inString = false
    while at < text.count {
      let byte = text[at]
      if inString {
        if byte == UInt8(ascii: "\\") {
          at += 1
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        inString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
        if depth == 0 { return first..<at + 1 }
      }
      at += 1
    }
    return nil
  }
}
