import Diagnostics

/// A step's details add something to its title.
///
/// Some converters write the same text into both fields. `--fix` removes such details.
///
/// ```json bad /content_data/sections/0/items/0/itemDescription
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Check the oil", "itemDescription": "Check the oil."}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Engine", "content_data": {"sections": [{"title": "Cold", "items": [
///   {"title": "Check the oil", "itemDescription": "Between the marks, no milky colour"}, {"title": "Belts"}]}]}}
/// ```
struct DetailsSayMore: Rule {
  static let code = DiagnosticCode(
    "LNT0216", "details-repeat-title", .note, "A step's details repeat its title.",
    why: "readers open the details and find nothing new", fix: "delete the details, or write something that helps")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    for step in item.steps {
      guard let title = step.title, let details = step.details, !title.saysNothing,
        // Punctuation and blanks account for at most 12 bytes.
        abs(title.bytes.count - details.bytes.count) <= 12, FoldedBytes.same(title.bytes.span, details.bytes.span)
      else { continue }
      report.finding("the details of the step \(title.quoted) repeat its title", at: details.node, edit: .remove)
    }
  }
}
