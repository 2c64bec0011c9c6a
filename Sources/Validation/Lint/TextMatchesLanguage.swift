import Diagnostics

/// An item is written in its language's script.
///
/// Russian crews do not find a Russian checklist with the language `en`, which is the app's default. The rule counts
/// the letters in titles and other text. Fewer than 40 letters are not enough to decide, and a few foreign words are
/// ignored.
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Проверка двигателя", "language": "en", "content_data": {"sections": [
///   {"title": "До запуска", "items": [{"title": "Масло между рисками щупа, охлаждающая жидкость"}]}]}}
/// ```
///
/// ```json bad /language
/// {"content_type": "checklist", "title": "Engine check", "language": "ru", "content_data": {"sections": [
///   {"title": "Before starting", "items": [{"title": "Oil between the marks, coolant at the line"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Проверка двигателя", "language": "ru", "content_data": {"sections": [
///   {"title": "До запуска", "items": [{"title": "Yanmar 4JH45: масло между рисками щупа, PSU и GPS включены"}]}]}}
/// ```
struct TextMatchesLanguage: Rule {
  static let code = DiagnosticCode(
    "LNT0406", "language-and-script", .warning, "An item is not written in its language's script.",
    why: "crews who filter by language do not find the item, and speech output reads nonsense",
    fix: "set 'language' to the text's language")

  /// The minimum number of letters for judging an item.
  private static let fewest = 40
  /// The number of letters after which counting ends.
  private static let enough = 200

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let node = item.language, node.kind == .string, let expected = Languages.script(of: node.inner.span) else {
      return
    }
    if expected == .latin, item.signs.isDisjoint(with: [.cyrillic, .greek, .otherScript]) { return }
    var counts = Script.allCases.map { _ in 0 }
    var total = 0
    // The beginning of a long guide represents the whole guide, because rules must not take longer than reading.
    texts: for text in item.texts where text.role != .tag {
      var at = 0
      while at < text.bytes.count {
        let (scalar, length) = UTF8Reader.scalar(text.bytes.span, at)
        at += length
        guard let script = Script(scalar) else { continue }
        counts[script.rawValue] += 1
        total += 1
        if total == Self.enough { break texts }
      }
    }
    guard total >= Self.fewest, let most = counts.max(), let index = counts.firstIndex(of: most),
      let script = Script(rawValue: index), script != expected
    else { return }
    guard most * 10 > total * 6 else { return }
    report.finding(
      "the language is \(Quotation.of(node.string ?? "")), but \(most * 100 / total) % of the letters are "
        + (script == .other ? "in another script" : script.name),
      at: node, label: "written in \(script.name) letters")
  }
}
