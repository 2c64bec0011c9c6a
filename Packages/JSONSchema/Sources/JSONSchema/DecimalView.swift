import JSONText

/// A view of a JSON number as exact decimal digits. The digits are read in place and never copied, whatever the
/// exponent.
///
/// The value is `0.d₁d₂…dₙ × 10^exponent` with d₁ and dₙ not zero. Exponents saturate at 10^17, which is far greater
/// than any change that the number of digits could make to an exponent.
struct DecimalView {
  /// Whether the number is below zero. Zero is never negative.
  let isNegative: Bool
  /// The number as written, from the first digit that is not zero.
  private let text: UnsafeBufferPointer<UInt8>
  /// The number of digits, without zeros at either end; 0 for zero.
  let digits: Int
  /// The exponent of the power of ten.
  let exponent: Int

  /// Reads a number that the parser has accepted.
  init(_ number: JSONNode) {
    let raw = number.raw
    var negative = false
    var ordinal = 0  // digits seen
    var beforePoint = -1
    var firstOrdinal = -1
    var lastOrdinal = -1
    var firstOffset = 0
    var exponent = 0
    var at = 0
    scan: while at < raw.count {
      let byte = raw[at]
      switch byte {
      case UInt8(ascii: "-"): negative = true
      case UInt8(ascii: "."): beforePoint = ordinal
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = Self.readExponent(raw.span, from: at + 1)
        break scan
      default:
        if byte != UInt8(ascii: "0") {
          if firstOrdinal < 0 {
            firstOrdinal = ordinal
            firstOffset = at
          }
          lastOrdinal = ordinal
        }
        ordinal += 1
      }
      at += 1
    }
    if beforePoint < 0 { beforePoint = ordinal }
    if firstOrdinal < 0 {
      isNegative = false
      digits = 0
      self.exponent = 0
    } else {
      isNegative = negative
      digits = lastOrdinal - firstOrdinal + 1
      self.exponent = exponent + beforePoint - firstOrdinal
    }
    text = raw.extracting(firstOffset...)
  }

  private static func readExponent(_ raw: Span<UInt8>, from start: Int) -> Int {
    var negative = false
    var value = 0
    for at in start..<raw.count {
      switch raw[at] {
      case UInt8(ascii: "-"): negative = true
      case UInt8(ascii: "+"): break
      default: if value < 100_000_000_000_000_000 { value = value * 10 + Int(raw[at] & 0x0F) }
      }
    }
    value = min(value, 100_000_000_000_000_000)
    return negative ? -value : value
  }

  /// Whether the number has no fraction, as in `7.0` and `1e2`.
  var isWhole: Bool { digits == 0 || exponent >= digits }

  /// The number of zeros after the last digit of a whole number; negative if the number has a fraction.
  var trailingZeros: Int { exponent - digits }

  /// Calls `body` with each digit, from the first nonzero digit to the last one.
  @inline(__always) func forEachDigit(_ body: (UInt8) -> Void) {
    var left = digits
    var next = 0
    while left > 0 {
      if text[next] != UInt8(ascii: ".") {
        body(text[next] & 0x0F)
        left -= 1
      }
      next += 1
    }
  }

  /// Returns a negative number if `left` is smaller, 0 if both are equal, and a positive number if `left` is larger.
  static func compare(_ left: DecimalView, _ right: DecimalView) -> Int {
    if left.digits == 0 || right.digits == 0 {
      let mine = left.digits == 0 ? 0 : (left.isNegative ? -1 : 1)
      let theirs = right.digits == 0 ? 0 : (right.isNegative ? -1 : 1)
      return mine - theirs
    }
    if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
    let magnitude = compareMagnitude(left, right)
    return left.isNegative ? -magnitude : magnitude
  }

  private static func compareMagnitude(_ left: DecimalView, _ right: DecimalView) -> Int {
    if left.exponent != right.exponent { return left.exponent < right.exponent ? -1 : 1 }
    var mine = 0
    var theirs = 0
    for _ in 0..<min(left.digits, right.digits) {
      if left.text[mine] == UInt8(ascii: ".") { mine += 1 }
      if right.text[theirs] == UInt8(ascii: ".") { theirs += 1 }
      if left.text[mine] != right.text[theirs] { return left.text[mine] < right.text[theirs] ? -1 : 1 }
      mine += 1
      theirs += 1
    }
    return left.digits - right.digits
  }
}

/// The divisor of a `multipleOf`, which is prepared once. Division is exact for numbers of any length.
struct Divisor {
  /// The largest number of digits in a divisor. The work for one number grows with the square of this number.
  static let maximumDigits = 1000

  /// The divisor's digits as a whole number, with 32 bits per limb and the lowest limb first.
  let limbs: [UInt32]
  /// The divisor, if it fits in 64 bits with room for one more digit.
  let small: UInt64?
  /// The power of ten of the last digit.
  let power: Int

  /// Prepares a divisor. Returns nil if the number is not positive or has too many digits.
  init?(_ view: DecimalView) {
    guard view.digits > 0, !view.isNegative, view.digits <= Self.maximumDigits else { return nil }
    var limbs: [UInt32] = [0]
    view.forEachDigit { digit in
      var carry = UInt64(digit)
      for index in limbs.indices {
        carry += UInt64(limbs[index]) * 10
        limbs[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      if carry > 0 { limbs.append(UInt32(truncatingIfNeeded: carry)) }
    }
    self.limbs = limbs
    var value: UInt64 = 0
    if view.digits <= 17 { view.forEachDigit { value = value * 10 + UInt64($0) } }
    small = view.digits <= 17 ? value : nil
    power = view.exponent - view.digits
  }

  /// Returns the cost of `divides` in steps, each of which processes sixteen limbs. The cost is small for divisors of
  /// at most 17 digits.
  func steps(for number: DecimalView) -> Int {
    guard small == nil else { return 0 }
    let shift = number.trailingZeros - power
    return shift < 0 ? 0 : (number.digits + min(shift, limbs.count * 32)) * limbs.count / 4
  }

  /// Returns whether `number` is a whole multiple of the divisor.
  func divides(_ number: DecimalView) -> Bool {
    guard number.digits > 0 else { return true }
    // Let number = v·10^a and divisor = d·10^b. v does not end in 0, so if a < b, the missing powers of ten make
    // divisibility impossible.
    let shift = number.trailingZeros - power
    guard shift >= 0 else { return false }
    if let small {
      var rest: UInt64 = 0
      number.forEachDigit { rest = (rest * 10 + UInt64($0)) % small }
      // Further powers of ten add only factors 2 and 5, and a 64-bit divisor has fewer than 64 of each.
      for _ in 0..<min(shift, 64) where rest != 0 { rest = rest * 10 % small }
      return rest == 0
    }
    var rest = [UInt32](repeating: 0, count: limbs.count + 1)
    number.forEachDigit { step(&rest, $0) }
    var left = min(shift, limbs.count * 32)
    while left > 0, rest.contains(where: { $0 != 0 }) {
      step(&rest, 0)
      left -= 1
    }
    return !rest.contains { $0 != 0 }
  }

  /// Computes `rest = (rest × 10 + digit) mod divisor`.
  private func step(_ rest: inout [UInt32], _ digit: UInt8) {
    var carry = UInt64(digit)
    for index in rest.indices {
      carry += UInt64(rest[index]) * 10
      rest[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    while !isBelow(rest) { subtract(&rest) }
  }

  private func isBelow(_ rest: [UInt32]) -> Bool {
    if rest[limbs.count] != 0 { return false }
    for index in limbs.indices.reversed() where rest[index] != limbs[index] { return rest[index] < limbs[index] }
    return false
  }

  private func subtract(_ rest: inout [UInt32]) {
    var borrow: Int64 = 0
    for index in rest.indices {
      let taken = Int64(rest[index]) - (index < limbs.count ? Int64(limbs[index]) : 0) - borrow
      borrow = taken < 0 ? 1 : 0
      rest[index] = UInt32(truncatingIfNeeded: taken)
    }
  }
}
