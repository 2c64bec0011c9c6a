import Diagnostics

/// A text holds no number that pays.
///
/// Numbers of cards and of bank accounts (IBAN) are known by their check digits, so that a chart's number or a phone's
/// is not taken for one.
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
public struct NoPaymentNumbers: Rule {
  public static let code = DiagnosticCode(
    "LNT0602", "payment-number", .error, "A text holds the number of a card or an account.",
    why: "whoever reads the text can use the number", fix: "take the number out")

  public init(limits: RuleLimits) {}

  public mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .manyDigits) { text in
      guard let number = PaymentNumber.first(in: text.bytes) else { return }
      report.finding(
        number.isCard ? "this looks like the number of a card" : "this looks like the number of an account",
        at: text.node, in: number.range, label: "its check digits are right")
    }
  }
}
