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

  /// Tags are few; of a list that is not, the rest is kept in a table, so that it is not searched again and again.
  private static let few = 32
  private var seen: [(key: UInt64, token: Int)] = []
  private var firsts: [UInt64: Int] = [:]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let tags = item.tags, tags.kind == .array else { return }
    look(tags, report)
    // The document has tags of its own; where both say the same, one finding is enough.
    if let own = item.documentTags, own.kind == .array, !tags.means(own) { look(own, report) }
  }

  private mutating func look(_ tags: JSONNode, _ report: RuleReport) {
    guard tags.token.count > 1 else { return }
    seen.removeAll(keepingCapacity: true)
    firsts.removeAll(keepingCapacity: firsts.capacity < 4096)
    tags.forEachElement { tag in
      guard tag.kind == .string, tag.token.length > 2 else { return }
      let key =
        tag.token.flags.contains(.escaped)
        ? TextKey.hash(tag.string ?? "", .words) : TextKey.hash(tag.inner, .words)
      if let first = first(key), let text = tags.at(first).string, Self.same(tag, text) {
        report.finding(
          "the tag \(Quotation.of(tag.string ?? "")) is there already, as \(Quotation.of(text))", at: tag,
          edit: .remove)
      } else if seen.count < Self.few {
        seen.append((key, tag.index))
      } else {
        firsts[key] = tag.index
      }
    }
  }

  /// The first tag with a key, by token.
  private func first(_ key: UInt64) -> Int? {
    seen.first { $0.key == key }?.token ?? (firsts.isEmpty ? nil : firsts[key])
  }

  /// Whether two tags say the same; a tag that folds to nothing says nothing.
  private static func same(_ tag: JSONNode, _ other: String) -> Bool {
    let text = TextKey.folded(tag.string ?? "", .words)
    return !text.isEmpty && text == TextKey.folded(other, .words)
  }
}
