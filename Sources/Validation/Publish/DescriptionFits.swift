import Diagnostics
import JSONText

/// A published item's description has at most 500 characters.
///
/// Earlier versions of the app allowed 1000. Characters are counted as people see them.
///
/// ```json bad /description
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "description": "Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on. Lines off, engine on."}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Leaving the berth", "content_data": {"sections": []},
///  "description": "Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали. Отдать швартовы, двигатель на нейтрали."}
/// ```
struct DescriptionFits: Rule {
  static let code = DiagnosticCode(
    "PUB0105", "description-length", .error, "The description is longer than 500 characters.",
    why: "the app does not publish the item", fix: "shorten it; instructions belong in the body")
  static let layer = RuleLayer.publish

  private static let most = 500

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    // A character has at least one byte, so most descriptions need no counting.
    guard let description = item.description, description.bytes.count > Self.most else { return }
    let count = description.characters
    guard count > Self.most else { return }
    report.finding("the description has \(Plural.count(count, "character")); the limit is 500", at: description.node)
  }
}
