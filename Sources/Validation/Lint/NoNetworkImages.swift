import Diagnostics

/// A guide shows no pictures from the network.
///
/// At sea the network is not available. Only the first such picture in a guide is reported.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Lights", "content_data": {
///   "markdown": "![A tug](https://example.org/tug.png) ![A ferry](https://example.org/ferry.png)\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Огни", "content_data": {
///   "markdown": "Буксир: ![огни буксира](buksir.png). Подробнее: [таблица](https://example.org/ogni).\n"}}
/// ```
struct NoNetworkImages: Rule {
  static let code = DiagnosticCode(
    "LNT0306", "network-image", .note, "A guide shows a picture from the network.",
    why: "the network is not available at sea, and the picture is missing when it is needed",
    fix: "add the picture as an attachment")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide else { return }
    var first: MarkdownLink?
    var count = 0
    for link in scan.links where link.form == .image && WebAddress.isWeb(text.bytes.span, link.page) {
      first = first ?? link
      count += 1
    }
    guard let first else { return }
    report.finding(
      "the picture \(Quotation.of(text.bytes.span, first.target)) needs the network\(Quotation.more(count - 1))",
      at: text.node,
      in: first.target)
  }
}
