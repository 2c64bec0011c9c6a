import Diagnostics

/// A text contains no payment numbers.
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
    "LNT0602", "payment-number", .error, "A text contains a card number or an account number.",
    why: "anyone who reads the text can use the number", fix: "remove the number")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let number = PaymentNumber.first(in: text.bytes) else { return }
      report.finding(
        number.isCard ? "this looks like a card number" : "this looks like an account number",
        at: text.node, in: number.range, label: "its check digits are valid")
    }
  }
}
