/// Numbers as JSON spells them, compared without going through floating point.
package enum JSONNumber {
  /// Whether two number texts have the same decimal value: `1.50`, `1.5` and `15e-1` do.
  package static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    if left.elementsEqual(right) { return true }
    return Decimal(left) == Decimal(right)
  }

  /// Sign, digits without zeros at either end, and the power of ten of the last digit.
  private struct Decimal: Equatable {
    var negative = false
    var digits: [UInt8] = []
    var exponent = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
      var afterPoint = false
      var index = 0
      scan: while index < text.count {
        switch text[index] {
        case UInt8(ascii: "-"): negative = true
        case UInt8(ascii: "."): afterPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          let written = String(decoding: text[(index + 1)...], as: UTF8.self)
          // An exponent beyond 64 bits saturates: such texts are compared by their spelling only.
          exponent = exponent &+ (Int(written) ?? (written.hasPrefix("-") ? Int.min / 4 : Int.max / 4))
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
      }
    }
  }
}
