import Diagnostics
import JSONText

/// An item has each tag once.
///
/// Capitals, spaces and hyphens make no difference. `--fix` removes the later one.
///
/// ```json bad /tags/2
/// {"content_type": "checklist", "title": "Fire", "tags": ["safety", "fire", "Safety"],
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Пожар", "tags": ["безопасность", "пожар"], "content_data": {"sections": []}}
/// ```
struct NoDuplicateTags: Rule {
  static let code = DiagnosticCode(
    "LNT0402", "duplicate-tag", .warning, "An item has the same tag twice.",
    why: "the app shows the tag twice, and publishing counts both", fix: "remove one of the two")

  private var seen = FewSeen()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let tags = item.tags, tags.kind == .array else { return }
    look(tags, report)
    // The document has tags of its own; where both say the same, one finding is enough.
    if let own = item.documentTags, own.kind == .array, !tags.means(own) { look(own, report) }
  }

  private mutating func look(_ tags: JSONNode, _ report: RuleReport) {
    guard tags.token.count > 1 else { return }
    seen.removeAll()
    tags.forEachElement { tag in
      guard tag.kind == .string, tag.token.length > 2 else { return }
      let key =
        tag.token.flags.contains(.escaped)
        ? TextKey.hash(tag.string ?? "", .words) : TextKey.hash(tag.inner, .words)
      if !seen.insert(key), let first = Self.first(like: tag, in: tags) {
        report.finding(
          "the tag \(Quotation.of(tag.string ?? "")) is there already, as \(Quotation.of(first))", at: tag,
          edit: .remove)
      }
    }
  }

  /// The text of the first tag before `tag` that says the same.
  private static func first(like tag: JSONNode, in tags: JSONNode) -> String? {
    let wanted = TextKey.folded(tag.string ?? "", .words)
    guard !wanted.isEmpty else { return nil }
    var found: String?
    tags.forEachElement { other in
      guard found == nil, other.index < tag.index, let text = other.string else { return }
      if TextKey.folded(text, .words) == wanted { found = text }
    }
    return found
  }
}
