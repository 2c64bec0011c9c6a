import Diagnostics
import Interchange
import JSONText

extension TableRow {
  /// The texts of the cells without blanks around them, as headers are compared.
  package var trimmedTexts: [String] {
    cells.indices.map { String(decoding: CellText.trimmed(text($0)), as: UTF8.self) }
  }
}

/// Looks at the text of a cell, in place.
enum CellText {
  /// The text without blanks and line ends on either side, and where it begins in the cell.
  @inline(__always)
  static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard let base = text.baseAddress else { return text }
    var start = 0
    var end = text.count
    while start < end, let length = blank(base + start, end - start) { start += length }
    while end > start {
      if isBlank(base[end - 1]) {
        end -= 1
      } else if end - start >= 2, base[end - 2] == 0xC2, base[end - 1] == 0xA0 {
        end -= 2
      } else {
        break
      }
    }
    return UnsafeBufferPointer(start: base + start, count: end - start)
  }

  @inline(__always) private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

  /// How long the blank at an address is; nil when it is none. A no-break space comes with what was copied from the web.
  @inline(__always)
  private static func blank(_ at: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    if isBlank(at[0]) { return 1 }
    return count >= 2 && at[0] == 0xC2 && at[1] == 0xA0 ? 2 : nil
  }

  /// Whether two texts are the same bytes.
  @inline(__always)
  static func same(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
    return ShortBytes.same(first, second, left.count)
  }

  /// A text for a message: cut where it is long.
  static func shown(_ text: UnsafeBufferPointer<UInt8>) -> String {
    // No scalar has more than four bytes, so what is cut here would be cut below.
    shown(String(decoding: text.prefix(61 * 4), as: UTF8.self))
  }

  /// The beginning of a text, for messages.
  static func shown(_ text: String) -> String {
    Diagnostic.beginning(of: text)
  }
}
