import Diagnostics

/// A published item's language is a tag of at most ten characters.
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Leaving the berth", "language": "English (British)",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "language": "en-GB", "content_data": {"sections": []}}
/// ```
struct LanguageFits: Rule {
  static let code = DiagnosticCode(
    "PUB0107", "language-length", .error, "The language tag has more than ten characters.",
    why: "the registry refuses the item", fix: "use a language tag such as en, ru or pt-BR")
  static let layer = RuleLayer.publish

  private static let most = 10

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let language = item.language, language.kind == .string, language.inner.count > Self.most else { return }
    let text = language.string ?? ""
    guard text.count > Self.most else { return }
    report.finding("the language \(Quotation.of(text)) has more than ten characters", at: language)
  }
}
