import Diagnostics

/// A text contains no placeholders.
///
/// `TODO`, `TBD`, `FIXME`, `xxx`, `???`, lorem ipsum and [fill in] are reminders for the author. They do not help a
/// crew.
///
/// ```json bad /description /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "description": "TODO: describe", "content_data": {"sections": [
///   {"title": "Before", "items": [{"title": "Oil: ??? litres"}]}]}}
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Стоянка", "language": "ru", "content_data": {
///   "markdown": "Глубина у стенки: «заполнить» м\n"}}
/// ```
///
/// Filling tanks is a task, and `todo` is a Spanish word:
///
/// ```json good
/// [{"content_type": "checklist", "title": "Вода", "description": "Заполнить баки. Fill in the log.",
///   "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "TODO EL EQUIPO", "language": "es", "description": "Todo a bordo",
///   "content_data": {"sections": []}}]
/// ```
struct NoPlaceholders: Rule {
  static let code = DiagnosticCode(
    "LNT0412", "placeholder", .warning, "A text contains a placeholder.",
    why: "the crew finds a reminder for the author instead of the information",
    fix: "write the text, or remove the step")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.placeholderWord, .questions]) { text in
      guard let place = Placeholder.first(in: text.bytes, todoIsAWord: Self.isIberian(item)) else { return }
      report.finding("\(Quotation.of(text.bytes, place)) is a placeholder for missing text", at: text.node, in: place)
    }
  }

  /// Whether the item is in Spanish, Portuguese or a related language, where “todo” means “all”.
  private static func isIberian(_ item: ItemOutline) -> Bool {
    guard let language = item.language, language.kind == .string else { return false }
    return ["es", "pt", "gl", "ca", "as", "ia", "it"].contains(
      UTF8Reader.string(language.inner, 0..<min(2, language.inner.count)))
  }
}
