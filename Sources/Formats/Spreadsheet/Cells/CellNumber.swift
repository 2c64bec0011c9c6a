import Foundation
import JSONText

/// Formats a sheet's numbers for readers: 12 instead of 12.0, and 0.1 instead of 0.1000000000000000055.
enum CellNumber {
  /// Appends a number as text in the given format. Bytes that are not a number are appended unchanged.
  static func append(
    _ bytes: UnsafeBufferPointer<UInt8>, as format: CellFormat, dates: SerialDate, to buffer: inout ByteBuffer
  ) {
    if isShort(bytes) {
      switch format {
      case .general:
        buffer.append(bytes)
        return
      case .padded(let width):
        pad(bytes, to: Int(width), &buffer)
        return
      default: break
      }
    }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
      buffer.append(bytes)
      return
    }
    switch format {
    case .date, .time, .elapsed:
      if dates.append(value, as: format, to: &buffer) { return }
    case .percent:
      buffer.append(utf8: text(shifted(value)))
      buffer.append(0x25)
      return
    case .general, .padded: break
    }
    buffer.append(utf8: text(value))
  }

  /// Returns the shortest decimal text that has the same value.
  static func text(_ value: Double) -> String {
    if value.magnitude <= 9_007_199_254_740_992, value == value.rounded() { return String(Int(value)) }
    let text = value.description
    guard text.utf8.contains(0x65) else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
    return plain(text) ?? text
  }

  /// Returns a number with an exponent in plain digits, if the result is short: 1e-05 becomes 0.00001. Otherwise
  /// returns nil.
  private static func plain(_ text: String) -> String? {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]), (-9...20).contains(exponent) else { return nil }
    let isNegative = parts[0].hasPrefix("-")
    let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
    guard let whole = mantissa.first else { return nil }
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    let sign = isNegative ? "-" : ""
    if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + whole + fraction }
    guard fraction.count <= exponent else { return nil }
    return sign + whole + fraction + String(repeating: "0", count: exponent - fraction.count)
  }

  /// Returns a number times one hundred, without the rounding error of a multiplication: 0.07 is 7 percent.
  private static func shifted(_ value: Double) -> Double {
    Double(String(format: "%.15g", value * 100)) ?? value * 100
  }

  /// Whether bytes are a number with so few digits that no shorter text has the same value, such as `12`, `-3` or
  /// `0.25`.
  private static func isShort(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    if bytes.first == 0x2D { at = 1 }
    guard at < bytes.count, bytes.count - at <= 16 else { return false }
    let first = at
    var point = -1
    while at < bytes.count {
      let byte = bytes[at]
      if byte == 0x2E {
        guard point < 0, at > first else { return false }
        point = at
      } else if byte < 0x30 || byte > 0x39 {
        return false
      }
      at += 1
    }
    let digits = at - first - (point < 0 ? 0 : 1)
    guard digits > 0, digits <= 15 else { return false }
    if bytes[first] == 0x30, at > first + 1, point != first + 1 { return false }
    if point >= 0 { return bytes[at - 1] != 0x30 && point < at - 1 }
    return first == 0 || bytes[first] != 0x30
  }

  private static func pad(_ bytes: UnsafeBufferPointer<UInt8>, to width: Int, _ buffer: inout ByteBuffer) {
    guard !bytes.contains(0x2E) else {
      buffer.append(bytes)
      return
    }
    let sign = bytes.first == 0x2D ? 1 : 0
    if sign == 1 { buffer.append(0x2D) }
    for _ in 0..<max(0, width - (bytes.count - sign)) { buffer.append(0x30) }
    buffer.append(UnsafeBufferPointer(rebasing: bytes[sign...]))
  }
}
