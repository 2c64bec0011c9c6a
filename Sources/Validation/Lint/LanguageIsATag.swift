import Diagnostics
import JSONText

/// The language is a standard tag: `en`, `ru`, `pt-BR`.
///
/// The registry filters by language, and speech output uses the language to choose a voice. BCP 47 defines the form: a
/// language of two or three lower-case letters, optionally followed by a script and a region, separated by hyphens.
/// `--fix` corrects capitals and underscores, and replaces language names with their tags.
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Fire", "language": "EN_us", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Пожар", "language": "русский", "content_data": {"sections": []}}
/// ```
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Φωτιά", "language": "gr", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Fogo", "language": "pt-BR", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Požar", "language": "sr-Latn-RS", "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Ahi", "language": "haw", "content_data": {"sections": []}}]
/// ```
struct LanguageIsATag: Rule {
  static let code = DiagnosticCode(
    "LNT0405", "language-tag", .warning, "The language is not a language tag.",
    why: "filters by language miss the item, and speech output uses the wrong language",
    fix: "write a BCP 47 tag such as 'en', 'ru' or 'pt-BR'")
  static let yieldsTo = [LanguageFits.code]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let node = item.language, node.kind == .string, !Languages.isPlain(node.inner.span) else { return }
    let text = node.string ?? ""
    switch LanguageTag.check(text) {
    case .good: return
    case .respell(let better):
      report.finding(
        "the language \(Quotation.of(text)) should be written as \(Quotation.of(better))", at: node,
        fix: "write \(Quotation.of(better))", edit: .text(better))
    case .perhaps(let better):
      report.finding(
        "\(Quotation.of(text)) is a country, not a language", at: node, fix: "did you mean \(Quotation.of(better))?")
    case .unknown(let subtag):
      report.finding("unknown language \(Quotation.of(subtag))", at: node)
    case .malformed:
      report.finding(text.isEmpty ? "the language is empty" : "\(Quotation.of(text)) is not a language tag", at: node)
    }
  }
}
