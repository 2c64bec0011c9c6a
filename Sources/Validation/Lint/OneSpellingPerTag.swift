import Diagnostics
import JSONText

/// A tag has the same spelling everywhere.
///
/// In the app's list, `Safety`, `safety` and `SAFETY` are three tags, and each shows only its own items. If tags differ
/// only in capitals, spaces and hyphens, each spelling other than the most common one is reported once.
///
/// ```json bad /tags/0
/// [{"content_type": "checklist", "title": "Fire", "tags": ["safety"], "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Flooding", "tags": ["Safety"], "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Fog", "tags": ["safety"], "content_data": {"sections": []}}]
/// ```
///
/// ```json bad /tags/0
/// [{"content_type": "checklist", "title": "Отход", "tags": ["перед выходом"], "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Выход", "tags": ["Перед-выходом"], "content_data": {"sections": []}}]
/// ```
///
/// ```json good
/// [{"content_type": "checklist", "title": "Fire", "tags": ["safety", "fire"], "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "Fog", "tags": ["safety", "safety gear"], "content_data": {"sections": []}}]
/// ```
struct OneSpellingPerTag: Rule {
  static let code = DiagnosticCode(
    "LNT0401", "tag-spelling", .warning, "A tag is spelled differently elsewhere.",
    why: "each spelling is a separate tag, and shows only some of the items",
    fix: "spell the tag the same way everywhere")

  private struct Spelling {
    let text: String
    let group: UInt64
    var count: Int
    let mark: RuleReport.Mark
  }

  /// The maximum number of different spellings that are compared. A run with more spellings has another problem.
  private static let mostSpellings = 50_000

  /// The index of a spelling in `spellings`, by the hash of its bytes.
  private var known: [UInt64: Int] = [:]
  private var spellings: [Spelling] = []
  /// The groups of the current item's tags that were checked.
  private var seen = SmallSet()

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    seen.removeAll()
    // Other rules report duplicate tags and tags with surrounding signs.
    for text in item.tagTexts {
      let exact = TextKey.exact(text.bytes.span)
      if let index = known[exact] {
        if seen.insert(spellings[index].group) { spellings[index].count += 1 }
        continue
      }
      guard !TagIsPlainWords.hasSigns(text) else { continue }
      let group = TextKey.hash(text.bytes.span, .words)
      if seen.insert(group), spellings.count < Self.mostSpellings, let mark = report.mark(text.node) {
        known[exact] = spellings.count
        spellings.append(
          Spelling(text: text.string, group: group, count: 1, mark: mark))
      }
    }
  }

  mutating func finish(_ report: RuleReport) {
    var usual: [UInt64: Int] = [:]
    for (index, spelling) in spellings.enumerated() {
      guard let best = usual[spelling.group] else {
        usual[spelling.group] = index
        continue
      }
      if spelling.count > spellings[best].count { usual[spelling.group] = index }
    }
    for (index, spelling) in spellings.enumerated() {
      guard let best = usual[spelling.group], best != index, !TextKey.folded(spelling.text, .words).isEmpty else {
        continue
      }
      let other = spellings[best]
      report.finding(
        "the tag \(Quotation.of(spelling.text)) (\(Self.times(spelling.count))) is spelled \(Quotation.of(other.text)) "
          + "elsewhere (\(Self.times(other.count)))",
        at: spelling.mark, fix: "write \(Quotation.of(other.text)) here as well, or change the other tags")
    }
    spellings.removeAll()
    known.removeAll()
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
