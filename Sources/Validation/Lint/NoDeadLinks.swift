import Diagnostics
import JSONText

/// A link to another page or to a heading has a target.
///
/// Wiki-links (`[[Anchoring#Chain]]`) and links to `.md` files and headings (`[chain](anchoring.md#chain)`) are
/// compared with the titles, ids and headings of all items in the run. Case, hyphens, punctuation and folders do not
/// matter. Files next to the guide's own file are also found. Check a guide together with the items that it links to.
/// Links that cannot work (`[here]()`, `[[ ]]`, `[x](javascript:…)`, addresses with blanks) are also reported.
///
/// ```json bad /content_data/markdown /content_data/markdown /content_data/markdown
/// [{"content_type": "practice_guide", "title": "Stern-to", "content_data": {
///   "markdown": "# Stern-to\n\nSee [[Anchoring in the Med#Chian]], [[Springs]] and [above](#lines).\n"}},
///  {"content_type": "practice_guide", "title": "Anchoring in the Med", "content_data": {
///   "markdown": "# Anchoring in the Med\n\n## Chain\n\nFive times the depth.\n"}}]
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Швартовка", "content_data": {
///   "markdown": "# Швартовка\n\nСм. [якорь](../guides/%D0%AF%D0%BA%D0%BE%D1%80%D1%8C.md).\n"}}
/// ```
///
/// ```json bad /content_data/markdown /content_data/markdown /content_data/markdown
/// {"content_type": "practice_guide", "title": "Weather", "content_data": {
///   "markdown": "See [the chart](), [[ ]] and [the forecast](https://example.org/my forecast).\n"}}
/// ```
///
/// ```json good
/// [{"content_type": "practice_guide", "title": "Stern-to", "content_data": {
///   "markdown": "See [[anchoring in the med#chain|the anchor]], [it](Anchoring-in-the-Med.md) and [[Engine]].\n"}},
///  {"content_type": "practice_guide", "title": "Anchoring in the Med", "content_data": {
///   "markdown": "# Anchoring in the Med\n\n## Chain\n\nBack to [the top](#anchoring-in-the-med).\n"}},
///  {"content_type": "checklist", "title": "Engine", "content_data": {"sections": []}}]
/// ```
struct NoDeadLinks: Rule {
  static let code = DiagnosticCode(
    "LNT0304", "dead-link", .warning, "The target of a link is not among the items and headings of this run.",
    why: "readers who follow the link find nothing",
    fix: "correct the name, or check the linked item together with this one")

  private struct Pending {
    let page: UInt64
    let section: UInt64?
    /// The path as written, including folders.
    let path: String
    let pageText: String
    let sectionText: String
    let mark: RuleReport.Mark
  }

  /// Marks take memory, and text full of links must not take a gigabyte.
  private static let mostInItem = 100
  private static let mostInRun = 20_000

  /// Titles, and ids that are not UUIDs.
  private var pages = CompactTable<UInt64, CompactNothing>()
  /// Pages whose headings are known.
  private var guides = CompactTable<UInt64, CompactNothing>()
  private var headings = CompactTable<UInt64, CompactNothing>()
  private var pending: [Pending] = []
  static let comparesIDs = true

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    let title = item.title.map { TextKey.hash($0.bytes.span, .letters) } ?? 0
    pages.insert(title)
    if let id = item.id, id.kind == .string, RecordKey(id) == nil {
      pages.insert(TextKey.hash(id.inner.span, .letters))
    }
    guard let (text, scan) = item.guide else { return }
    guides.insert(title)
    var own: Set<UInt64> = []
    for heading in scan.headings {
      let key = TextKey.hash(text.bytes.span, .letters, in: heading.text)
      own.insert(key)
      headings.insert(TextKey.pair(title, key))
    }
    // The reader of a vault knows file names and aliases, and follows links as the program that made the vault does.
    if report.linksAreChecked { return }
    var left = Self.mostInItem
    for link in scan.links where left > 0 {
      if let reason = BrokenLink.reason(link, text.bytes.span) {
        left -= 1
        report.finding(
          "the link \(Quotation.of(text.bytes.span, link.range)) cannot work: \(reason)", at: text.node, in: link.range,
          fix: "write the link's target, or keep only its text")
        continue
      }
      guard let target = PageTarget(link, text.bytes.span) else { continue }
      if target.page.isEmpty {
        guard let section = target.sectionKey, !own.contains(section) else { continue }
        left -= 1
        report.finding(
          "this guide has no heading \(Quotation.of(target.section ?? ""))", at: text.node, in: link.target)
      } else if !isKnown(target, report.ids), pending.count < Self.mostInRun {
        left -= 1
        guard let mark = report.mark(text.node, in: link.target) else { continue }
        pending.append(
          Pending(
            page: target.pageKey, section: target.sectionKey,
            path: UTF8Reader.string(text.bytes.span, link.page) + (link.form == .link ? "" : ".md"),
            pageText: target.page,
            sectionText: target.section ?? "",
            mark: mark))
      }
    }
  }

  private func isKnown(_ target: PageTarget, _ ids: RunIDs) -> Bool {
    guard hasPage(target.pageKey, target.page, ids) else { return false }
    guard let section = target.sectionKey else { return true }
    return headings.contains(TextKey.pair(target.pageKey, section))
  }

  private func hasPage(_ key: UInt64, _ text: String, _ ids: RunIDs) -> Bool {
    pages.contains(key) || RecordKey(text).map { ids.hasItem($0) } ?? false
  }

  mutating func finish(_ report: RuleReport) {
    var files = SiblingFiles()
    for link in pending {
      if !hasPage(link.page, link.pageText, report.ids) {
        guard !files.has(link.path, from: link.mark.place) else { continue }
        let isAlone = !report.hasManyFiles && SiblingFiles.isTextFile(link.mark.place)
        report.finding(
          "no item of this run is called \(Quotation.of(link.pageText))", at: link.mark,
          fix: isAlone ? "\(Self.code.fix), or check the whole folder, so that the item is found" : nil)
      } else if let section = link.section, guides.contains(link.page),
        !headings.contains(TextKey.pair(link.page, section))
      {
        report.finding(
          "\(Quotation.of(link.pageText)) has no heading \(Quotation.of(link.sectionText))", at: link.mark)
      }
    }
    pending.removeAll()
  }
}

/// The page that a link in a guide names, and the heading on that page.
struct PageTarget {
  /// The page's name without folders and extension; empty for the same page.
  let page: String
  /// The text after `#`, with percent escapes such as `%20` resolved.
  let section: String?

  /// The hash of the page's name.
  fileprivate var pageKey: UInt64 { TextKey.hash(page, .letters) }
  /// The hash of the heading; nil if the link names no heading or names a block.
  fileprivate var sectionKey: UInt64? { section.map { TextKey.hash($0, .letters) } }

  /// Makes a target from a link. Fails if the link names a web address, a picture or another program instead of a page.
  init?(_ link: MarkdownLink, _ bytes: Span<UInt8>) {
    switch link.form {
    case .wiki, .embed:
      let name = FileName.last(UTF8Reader.string(bytes, link.page))
      if let ending = name.ending, FileName.media.contains(ending) { return nil }
      page = name.ending == "md" ? name.stem : name.full
    case .link:
      guard !WebAddress.begins(bytes, link.page), !WebAddress.isWeb(bytes, link.page) else { return nil }
      let name = FileName.last(UTF8Reader.string(bytes, link.page))
      guard link.page.isEmpty ? link.section != nil : name.ending == "md" || name.ending == "markdown" else {
        return nil
      }
      page = name.stem
    case .image, .address, .broken: return nil
    }
    // Some programs write a heading after its parent headings; the last heading counts. `^` marks a block.
    let written = link.section.map { FileName.decoded(UTF8Reader.string(bytes, $0)) }
    let last = written?.split(separator: "#").last.map(String.init)
    section = last.flatMap { $0.isEmpty || $0.hasPrefix("^") ? nil : $0 }
    if page.isEmpty, section == nil { return nil }
  }
}

/// Recognizes links that cannot work, regardless of the existing content.
package enum BrokenLink {
  /// Returns the reason why the link cannot work; nil if it may work.
  package static func reason(_ link: MarkdownLink, _ bytes: Span<UInt8>) -> String? {
    let page = link.page
    if link.form == .broken { return "its target has blanks, so the app shows it as plain text; write %20 for a blank" }
    if page.isEmpty { return link.section?.isEmpty ?? true ? "it has no target" : nil }
    guard link.form == .link || link.form == .image || link.form == .address, bytes[page.lowerBound] > 0x40 else {
      return nil
    }
    if begins(bytes, page, "javascript:") || begins(bytes, page, "vbscript:") { return "the app runs no scripts" }
    for scheme: StaticString in ["http:", "https:"] where begins(bytes, page, scheme) {
      let host = page.lowerBound + scheme.utf8CodeUnitCount + 2
      guard host < page.upperBound, bytes[host - 2] == UInt8(ascii: "/"), bytes[host - 1] == UInt8(ascii: "/"),
        bytes[host] != UInt8(ascii: "/")
      else { return "its address has no host" }
    }
    return nil
  }

  private static func begins(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ prefix: StaticString
  ) -> Bool { WebAddress.begins(bytes, range, with: prefix) }
}

// Readers that follow links themselves use the same codes as these rules, so that a rule's configuration and a baseline
// apply to both.
extension DiagnosticCode {
  /// A link that leads nowhere.
  package static var deadLink: DiagnosticCode { NoDeadLinks.code }
  /// A picture that is missing.
  package static var missingImage: DiagnosticCode { NoMissingImages.code }
}
