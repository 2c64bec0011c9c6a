import Foundation
import JSONText

/// Escapes and unescapes text in cells. Characters that XML cannot represent are written as `_x0001_`, and text that
/// looks like such an escape is written as `_x005F_x0001_`.
///
/// - Source: ECMA-376 part 1, 22.9.2.19 (ST_Xstring)
enum CellEscaping {
  /// Whether a cell's bytes may contain escapes.
  @inline(__always) static func isEscaped(_ bytes: Span<UInt8>) -> Bool {
    bytes.contains(0x5F)
  }

  /// Appends a cell's bytes with their escapes decoded.
  static func append(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
    guard isEscaped(bytes) else {
      buffer.append(bytes)
      return
    }
    var from = 0
    var at = 0
    while at + 7 <= bytes.count {
      guard let unit = escape(bytes, at) else {
        at += 1
        continue
      }
      var value = unit
      var next = at + 7
      if (0xD800...0xDBFF).contains(unit), let low = escape(bytes, next), (0xDC00...0xDFFF).contains(low) {
        value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        next += 7
      }
      // An unpaired surrogate has no meaning and is kept as written. The same applies to zero, which text cannot
      // contain.
      guard let scalar = Unicode.Scalar(value), value != 0 else {
        at += 1
        continue
      }
      buffer.append(bytes.extracting(from..<at))
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(byte) }
      (from, at) = (next, next)
    }
    buffer.append(bytes.extracting(droppingFirst: from))
  }

  /// Appends text with the escapes that XML requires in a cell.
  static func escape(_ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
    var from = 0
    var at = 0
    func flush(_ buffer: inout ByteBuffer, _ next: Int) {
      buffer.append(bytes.extracting(from..<at))
      from = next
    }
    while at < bytes.count {
      switch bytes[at] {
      case 0x26:
        flush(&buffer, at + 1)
        buffer.append("&amp;")
      case 0x3C:
        flush(&buffer, at + 1)
        buffer.append("&lt;")
      case 0x3E:
        flush(&buffer, at + 1)
        buffer.append("&gt;")
      case 0x5F where escape(bytes, at) != nil:
        flush(&buffer, at + 1)
        buffer.append("_x005F_")
      case 0x00...0x08, 0x0B...0x1F:
        let byte = bytes[at]
        flush(&buffer, at + 1)
        buffer.append("_x00")
        buffer.append(hex(byte >> 4))
        buffer.append(hex(byte & 15))
        buffer.append(0x5F)
      case 0xEF where at + 2 < bytes.count && bytes[at + 1] == 0xBF && bytes[at + 2] >= 0xBE:
        let isLast = bytes[at + 2] == 0xBF
        flush(&buffer, at + 3)
        buffer.append(isLast ? "_xFFFF_" : "_xFFFE_")
        at += 2
      default: break
      }
      at += 1
    }
    buffer.append(bytes.extracting(droppingFirst: from))
  }

  private static func hex(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Returns the UTF-16 unit that the escape `_xHHHH_` at an offset represents; nil if no escape begins there.
  private static func escape(_ bytes: Span<UInt8>, _ at: Int) -> UInt32? {
    guard at + 7 <= bytes.count, bytes[at] == 0x5F, bytes[at + 1] == 0x78, bytes[at + 6] == 0x5F else { return nil }
    var value: UInt32 = 0
    for at in (at + 2)..<(at + 6) {
      let byte = bytes[at]
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
      default: return nil
      }
    }
    return value
  }
}

/// The limits for cells and rows.
enum CellLimit {
  /// Excel's maximum number of UTF-16 units in a cell.
  static let units = 32_767
  /// The maximum size in bytes of a cell that is read. Other programs allow longer cells than Excel.
  static let bytes = 8 << 20
  /// The maximum size in bytes of a row that is read.
  static let rowBytes = 32 << 20

  /// Throws if text is too long for a cell.
  static func check(_ count: Int) throws {
    guard count <= bytes else { throw PartProblem("a cell has more than \(bytes) bytes") }
  }

  /// Whether text fits into an Excel cell. Excel counts UTF-16 units.
  static func holds(_ text: Span<UInt8>) -> Bool {
    if text.count <= units { return true }
    var count = 0
    for at in text.indices where text[at] & 0xC0 != 0x80 { count += text[at] >= 0xF0 ? 2 : 1 }
    return count <= units
  }
}
