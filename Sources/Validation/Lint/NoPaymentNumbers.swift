import Diagnostics
import MarkdownSyntax

/// Text contains no payment numbers.
///
/// Card numbers and bank account numbers (IBAN) are recognized by their check digits, so a chart number or a telephone
/// number is not mistaken for one.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Deposit", "content_data": {"sections": [
///   {"title": "Pay", "items": [{"title": "Card 4111 1111 1111 1111"}, {"title": "To GB82 WEST 1234 5698 7654 32"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Залог", "language": "ru", "content_data": {"sections": [
///   {"title": "Оплата", "items": [{"title": "Карта на 1500 €, MMSI 211234560, HIN FR-ABC12345D424"},
///     {"title": "4111 1111 1111 1112"}]}]}}
/// ```
struct NoPaymentNumbers: Rule {
  static let code = DiagnosticCode(
    "LNT0602", "payment-number", .error, "Text contains a card number or an account number.",
    why: "anyone who reads the text can use the number", fix: "remove the number")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let number = PaymentNumber.first(in: text.bytes.span) else { return }
      report.finding(
        number.isCard ? "this looks like a card number" : "this looks like an account number",
        at: text.node, in: number.range, label: "its check digits are valid")
    }
  }
}

/// Finds card numbers and account numbers by their check digits.
struct PaymentNumber {
  let range: Range<Int>
  let isCard: Bool

  /// Returns the first payment number in the text.
  static func first(in bytes: Span<UInt8>) -> PaymentNumber? {
    // Both begin near a digit: a card number at the digit, and an account number two letters before it.
    var at = ByteSearch.digit(in: bytes, from: 0)
    while at < bytes.count {
      if at >= 2, isCapital(bytes[at - 2]), isBoundary(bytes, at - 2), let end = account(bytes, at - 2) {
        return PaymentNumber(range: at - 2..<end, isCard: false)
      }
      if bytes[at] >= 0x32, bytes[at] <= 0x36, isBoundary(bytes, at), let end = card(bytes, at) {
        return PaymentNumber(range: at..<end, isCard: true)
      }
      at = ByteSearch.digit(in: bytes, from: at + 1)
    }
    return nil
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

  /// Whether `at` is not preceded by a letter or digit.
  private static func isBoundary(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
    at == 0 || bytes[at - 1] < 0x80 && !WordComparison.isLetter(UInt32(bytes[at - 1]))
  }

  /// - Source: ISO/IEC 7812: thirteen to nineteen digits; the last digit checks the others (Luhn)
  private static func card(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    var digits: [UInt8] = []
    var at = start
    var end = start
    while at < bytes.count, digits.count < 20 {
      if bytes[at] &- 0x30 < 10 {
        digits.append(bytes[at] - 0x30)
        at += 1
        end = at
      } else if bytes[at] == 0x20 || bytes[at] == 0x2D, at + 1 < bytes.count, bytes[at + 1] &- 0x30 < 10 {
        // One blank or hyphen may separate groups.
        at += 1
      } else {
        break
      }
    }
    guard end == bytes.count || bytes[end] < 0x80 && !WordComparison.isLetter(UInt32(bytes[end])) else { return nil }
    let first = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) }
    let isIssued =
      switch digits.count {
      case 15: first / 100 == 34 || first / 100 == 37
      case 16: first / 1000 == 4 || (5100..<5600).contains(first) || (2221...2720).contains(first) || first / 1000 == 6
      case 19: first / 1000 == 4 || first / 1000 == 6
      default: false
      }
    guard isIssued, Set(digits).count > 1 else { return nil }
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() {
      let value = index % 2 == 1 ? Int(digit) * 2 : Int(digit)
      sum += value > 9 ? value - 9 : value
    }
    return sum % 10 == 0 ? end : nil
  }

  /// - Source: ISO 13616: two letters, two check digits, up to thirty letters and digits; the remainder modulo 97 is
  ///   one
  private static func account(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard start + 15 <= bytes.count, bytes[start + 1] >= 0x41, bytes[start + 1] <= 0x5A,
      bytes[start + 2] &- 0x30 < 10, bytes[start + 3] &- 0x30 < 10
    else { return nil }
    var signs: [UInt8] = []
    var at = start
    var ends: [(count: Int, end: Int)] = []
    while at < bytes.count, signs.count < 34 {
      let byte = bytes[at]
      if byte &- 0x30 < 10 || byte >= 0x41 && byte <= 0x5A {
        signs.append(byte)
        at += 1
      } else if byte == 0x20, at + 1 < bytes.count, bytes[at + 1] != 0x20 {
        // A word may follow, so the number may end before any blank.
        ends.append((signs.count, at))
        at += 1
      } else {
        break
      }
    }
    ends.append((signs.count, at))
    for (count, end) in ends.reversed() where count >= 15 && isRight(signs[..<count]) { return end }
    return nil
  }

  private static func isRight(_ signs: ArraySlice<UInt8>) -> Bool {
    var rest = 0
    for sign in Array(signs.dropFirst(4)) + Array(signs.prefix(4)) {
      rest = sign < 0x3A ? (rest * 10 + Int(sign - 0x30)) % 97 : (rest * 100 + Int(sign - 0x37)) % 97
    }
    return rest == 1
  }
}
