import Diagnostics

/// An item is written in the script of its language.
///
/// A Russian checklist that says `en`, which is what the app fills in by itself, is not found by Russian crews. The
/// letters of titles and texts are counted: fewer than 40 say nothing, and a few foreign words do no harm.
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
    "LNT0406", "language-and-script", .warning, "The text is not written in the script of its language.",
    why: "crews who look for their language do not find it, and voices read nonsense",
    fix: "set 'language' to the language of the text")

  /// Fewer letters say nothing about an item.
  private static let fewest = 40
  /// So many letters are enough to know.
  private static let enough = 200

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let node = item.language, node.kind == .string, let expected = Languages.script(of: node.inner) else {
      return
    }
    if expected == .latin, item.signs.isDisjoint(with: [.cyrillic, .greek, .otherScript]) { return }
    var counts = Script.allCases.map { _ in 0 }
    var total = 0
    // The shares of a long guide's beginning stand for the rest: rules must not cost more than reading.
    texts: for text in item.texts where text.role != .tag {
      var at = 0
      while at < text.bytes.count {
        let (scalar, length) = UTF8Reader.scalar(text.bytes, at)
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
      "the language is \(Quotation.of(node.string ?? "")), \(most * 100 / total) % of the letters are "
        + (script == .other ? "of another script" : script.name),
      at: node, label: "written in \(script.name) letters")
  }
}
