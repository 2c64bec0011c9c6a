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
