/// The effect of a number format on how a number is displayed.
///
/// - Source: ECMA-376 part 1, 18.8.30 (numFmt), 18.8.31 (numFmts)
enum CellFormat: Equatable, Sendable {
  /// The number is displayed unchanged.
  case general
  /// A day, possibly with a time.
  case date
  /// A time of day.
  case time
  /// A duration, whose hours may exceed 24.
  case elapsed
  case percent
  /// The number has leading zeros, up to a minimum number of digits.
  case padded(UInt8)

  /// Returns the effect of a built-in format, which is identified by its number.
  static func builtIn(_ id: Int) -> CellFormat {
    switch id {
    case 9, 10: .percent
    case 14...17, 22, 27...31, 36, 50...54, 57, 58: .date
    case 18...21, 32...35, 45, 47, 55, 56: .time
    case 46: .elapsed
    default: .general
    }
  }

  /// Returns the effect of a format code, such as `yyyy-mm-dd`, `[h]:mm`, `0.0%` or `"No. "0`.
  static func of(code: String) -> CellFormat {
    var (hasDay, hasTime, hasElapsed, hasPercent, hasDigits) = (false, false, false, false, false)
    var zeros = 0
    var isPlain = true
    var bytes = Array(code.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case 0x3B: bytes = []  // ; ends the section for positive numbers
      case 0x22:  // "text"
        bytes = bytes.drop { $0 != 0x22 }.dropFirst()
        isPlain = false
      case 0x5C, 0x5F, 0x2A:  // \x, _x, *x: a sign, its width, its repetition
        bytes = bytes.dropFirst()
        isPlain = false
      case 0x5B:  // [Red], [$-409], [>100], [h]
        let inside = bytes.prefix { $0 != 0x5D }
        bytes = bytes.dropFirst(inside.count + 1)
        if let first = inside.first, inside.allSatisfy({ $0 | 0x20 == first | 0x20 }) {
          hasElapsed = hasElapsed || [0x68, 0x6D, 0x73].contains(first | 0x20)
        }
        isPlain = false
      case 0x79, 0x59, 0x64, 0x44: hasDay = true  // y, d
      case 0x68, 0x48, 0x73, 0x53: hasTime = true  // h, s
      case 0x6D, 0x4D: hasDay = hasDay || !hasTime && !isMinute(bytes)  // m
      case 0x47 where bytes.starts(with: Array("eneral".utf8)): bytes = bytes.dropFirst(6)
      case 0x25: hasPercent = true
      case 0x30: (zeros, hasDigits) = (zeros + 1, true)
      case 0x23, 0x3F: (isPlain, hasDigits) = (false, true)
      default: isPlain = false
      }
    }
    if hasElapsed { return .elapsed }
    if hasDay { return .date }
    if hasTime { return .time }
    if hasPercent { return .percent }
    return isPlain && hasDigits && zeros > 1 && zeros < 64 ? .padded(UInt8(zeros)) : .general
  }

  /// Whether an `m` precedes seconds, as in `mm:ss`, and therefore means minutes.
  private static func isMinute(_ rest: ArraySlice<UInt8>) -> Bool {
    let behind = rest.drop { $0 | 0x20 == 0x6D }
    return behind.first == 0x3A && behind.dropFirst().first.map { $0 | 0x20 == 0x73 } ?? false
  }
}
