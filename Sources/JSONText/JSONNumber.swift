/// Numbers as JSON spells them, compared without going through floating point.
package enum JSONNumber {
  /// Whether two number texts have the same decimal value: `1.50`, `1.5` and `15e-1` do.
  package static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    if left.elementsEqual(right) { return true }
    guard let left = Decimal(left), let right = Decimal(right) else { return false }
    return left == right
  }

  /// Whether a text is a number as JSON writes it.
  static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    func digits() -> Int {
      let start = at
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
      return at - start
    }
    if at < text.count, text[at] == UInt8(ascii: "-") { at += 1 }
    let first = at
    let whole = digits()
    guard whole > 0, whole == 1 || text[first] != UInt8(ascii: "0") else { return false }
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      guard digits() > 0 else { return false }
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
      guard digits() > 0 else { return false }
    }
    return at == text.count
  }

  /// Sign, digits without zeros at either end, and the power of ten of the last digit.
  private struct Decimal: Equatable {
    var negative = false
    var digits: [UInt8] = []
    var exponent = 0

    /// Nil for an exponent that is too large to count with: such texts are compared by their spelling only.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
      var afterPoint = false
      var isCountable = true
      var index = 0
      scan: while index < text.count {
        switch text[index] {
        case UInt8(ascii: "-"): negative = true
        case UInt8(ascii: "."): afterPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          // Half of the range leaves room for the digits that are counted here.
          if let written = Int(String(decoding: text[(index + 1)...], as: UTF8.self)),
            (Int.min / 2...Int.max / 2).contains(written)
          {
            exponent += written
          } else {
            isCountable = false
          }
          break scan
        default:
          digits.append(text[index])
          if afterPoint { exponent -= 1 }
        }
        index += 1
      }
      while digits.last == UInt8(ascii: "0") {
        digits.removeLast()
        exponent += 1
      }
      if let first = digits.firstIndex(where: { $0 != UInt8(ascii: "0") }) {
        digits.removeFirst(first)
      }
      if digits.isEmpty {
        negative = false
        exponent = 0
        isCountable = true
      }
      guard isCountable else { return nil }
    }
  }
}
