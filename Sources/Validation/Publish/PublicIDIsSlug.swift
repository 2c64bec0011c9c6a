import Diagnostics
import JSONText

/// A public id is a slug: 1 to 255 letters a to z, digits and dashes.
///
/// It is part of the address under which everybody finds the content, and it stays taken for ever.
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
    "PUB0114", "public-id-not-slug", .error, "A public id is no slug.",
    why: "the registry refuses it, or nobody can open the address that it makes",
    fix: "use letters a to z, digits and dashes, 255 at most")
  static let layer = RuleLayer.publish

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let id = item.publicID, !id.isNull, !Self.isSlug(id) else { return }
    report.finding("the public id \(Quotation.of(id)) is no slug", at: id)
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
