import Diagnostics
import JSONText

/// An item has each tag only once.
///
/// Capitals, spaces and hyphens are ignored. `--fix` removes the later tag.
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
    why: "the app shows the tag twice, and publishing counts both", fix: "remove one of the two tags")

  private var repeats = RepeatFinder()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let tags = item.tags, tags.kind == .array else { return }
    checkTags(tags, report)
    // The document has its own tags. If both lists are the same, one finding is enough.
    if let own = item.documentTags, own.kind == .array, !tags.means(own) { checkTags(own, report) }
  }

  private mutating func checkTags(_ tags: JSONNode, _ report: RuleReport) {
    guard tags.token.count > 1 else { return }
    var tokens: [UInt32] = []
    tags.forEachElement { tag in
      if tag.kind == .string, tag.token.length > 2 { tokens.append(UInt32(tag.index)) }
    }
    func tag(_ index: Int) -> JSONNode { tags.at(Int(tokens[index])) }
    repeats.find(
      tokens.indices, number: { Self.number(tag($0)) }, same: { Self.same(tag($0), tag($1)) },
      found: { index, first in
        report.finding(
          "the item already has the tag \(Quotation.of(tag(index).string ?? "")), as "
            + Quotation.of(tag(first).string ?? ""), at: tag(index), edit: .remove)
      })
  }

  private static func number(_ tag: JSONNode) -> UInt64 {
    tag.token.flags.contains(.escaped)
      ? TextKey.hash(tag.string ?? "", .words) : TextKey.hash(tag.inner.span, .words)
  }

  private static let wordless = TextKey.hash("", .words)

  private static func same(_ left: JSONNode, _ right: JSONNode) -> Bool {
    // A tag without words does not duplicate another tag.
    guard number(left) != wordless else { return false }
    return left.raw.elementsEqual(right.raw)
      || TextKey.folded(left.string ?? "", .words) == TextKey.folded(right.string ?? "", .words)
  }
}
