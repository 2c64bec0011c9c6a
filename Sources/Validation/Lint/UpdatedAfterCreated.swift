import Content
import Diagnostics
import JSONText

/// An item's `updated_at` is not earlier than its `created_at`.
///
/// A merge uses these times to decide which of two versions is newer. If `updated_at` is earlier than `created_at`, a
/// clock or a conversion was wrong.
///
/// ```json bad /updated_at
/// {"content_type": "checklist", "title": "Fire", "created_at": "2026-03-01T10:00:00.000Z",
///  "updated_at": "2025-03-01T10:00:00.000Z", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Пожар", "created_at": "2026-03-01T10:00:00.000Z",
///  "updated_at": "2026-03-01T10:00:00.000Z", "content_data": {"sections": []}}
/// ```
struct UpdatedAfterCreated: Rule {
  static let code = DiagnosticCode(
    "LNT0505", "updated-before-created", .warning, "An item was changed before it was created.",
    why: "merging may mistake the older version for the newer one", fix: "correct the wrong time")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let created = item.createdAt, let updated = item.updatedAt, created.kind == .string, updated.kind == .string,
      Self.isBefore(updated.inner.span, created.inner.span)
    else { return }
    report.finding(
      "the item was changed at \(updated.string ?? "") and created at \(created.string ?? "")", at: updated,
      label: "before created_at")
  }

  private static func isBefore(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    // Times in canonical form sort as text.
    if left.count == 24, right.count == 24, left[23] == UInt8(ascii: "Z"), right[23] == UInt8(ascii: "Z") {
      for index in 0..<23 where left[index] != right[index] { return left[index] < right[index] }
      return false
    }
    guard let (left, _) = Timestamp.parse(left), let (right, _) = Timestamp.parse(right) else { return false }
    return left < right
  }
}
