import Content
import Diagnostics

/// A published guide has text.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Anchoring", "content_data": {"markdown": "\n \n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Anchoring", "content_data": {"markdown": "# Where\n\nIn sand."}}
/// ```
struct RequireGuideText: Rule {
  static let code = DiagnosticCode(
    "PUB0111", "guide-without-text", .error, "A guide has no text.",
    why: "the app does not publish an empty guide", fix: "write the text, or do not publish the guide yet")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard item.type == .practiceGuide, let document = item.document, document.kind == .object,
      item.markdown?.saysNothing ?? true
    else { return }
    report.finding("the guide has no text", at: item.markdown?.node ?? document)
  }
}
