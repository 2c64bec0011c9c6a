import Diagnostics
import JSONText

/// A public id is a slug: 1 to 255 characters, each of which is a letter from a to z, a digit or a dash.
///
/// The public id is part of the content's public address and remains reserved forever.
///
/// ```json bad /public_id
/// {"content_type": "checklist", "title": "Leaving the berth", "public_id": "leaving the berth",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json bad /public_id
/// {"content_type": "checklist", "title": "Отход", "public_id": "отход-2663557A", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Crew briefing", "public_id": "crew-safety-briefing-2663557A",
///  "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Not published yet", "public_id": null, "content_data": {"sections": []}}
/// ```
struct PublicIDIsSlug: Rule {
  static let code = DiagnosticCode(
    "PUB0114", "public-id-not-slug", .error, "A public id is not a slug.",
    why: "the registry refuses the item, or the address with this id cannot be opened",
    fix: "use at most 255 characters: the letters a to z, digits and dashes")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let id = item.publicID, !id.isNull, !Self.isSlug(id) else { return }
    report.finding("the public id \(Quotation.of(id)) is not a slug", at: id)
  }

  /// Whether a value is a slug.
  static func isSlug(_ node: JSONNode) -> Bool {
    guard node.kind == .string, (1...255).contains(node.inner.count) else { return false }
    return node.inner.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
