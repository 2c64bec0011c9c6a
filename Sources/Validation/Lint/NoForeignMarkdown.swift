import Diagnostics

/// A guide uses only the Markdown that the app renders.
///
/// The app renders `#` headings, lists with `-` and `*`, and emphasis inside lines. Tables, code, HTML, task boxes,
/// footnotes, underlined headings, lists with `+` and front matter appear as plain text. Each of these is reported once
/// in a guide, at its first occurrence. `--fix` turns `+` into `-` and underlined headings into `#` headings.
///
/// ```json bad /content_data/markdown /content_data/markdown
/// {"content_type": "practice_guide", "title": "Meltemi", "content_data": {
///   "markdown": "| hPa | Bft |\n|---|---|\n| 4 | 5 |\n\n```\nN 6 LOC 7\n```\n\n```\nN 5\n```\n"}}
/// ```
///
/// ```json bad /content_data/markdown /content_data/markdown
/// {"content_type": "practice_guide", "title": "Закупка", "content_data": {
///   "markdown": "Закупка\n=======\n\n+ вода\n+ хлеб\n"}}
/// ```
///
/// Numbered lists, quotes and a boat's name in angle brackets are readable as plain text:
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Mayday", "content_data": {
///   "markdown": "# Mayday\n\n1. This is <boat's name>\n2. **Mayday** | over\n\n> Slowly.\n\n---\n\n- Listen\n"}}
/// ```
struct NoForeignMarkdown: Rule {
  static let code = DiagnosticCode(
    "LNT0308", "foreign-markdown", .warning, "A guide uses Markdown that the app does not render.",
    why: "readers see the markup itself: bars, backticks, brackets or tags",
    fix: "use headings, lists and emphasis instead")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    guard let (text, scan) = item.guide, !scan.constructs.isEmpty else { return }
    var counts = [Int](repeating: 0, count: MarkdownConstruct.Kind.allCases.count)
    for construct in scan.constructs { counts[construct.kind.rawValue] += 1 }
    var seen = counts.map { _ in false }
    for construct in scan.constructs where !seen[construct.kind.rawValue] {
      let kind = construct.kind.rawValue
      seen[kind] = true
      report.finding(
        "the app shows \(Self.words(construct.kind)) as plain text\(Quotation.more(counts[kind] - 1))", at: text.node,
        in: construct.range, fix: Self.advice(construct.kind),
        edit: Self.isFixable(construct.kind) ? .text(MarkdownFix.fixed(text.bytes.span, scan)) : nil)
    }
  }

  private static func words(_ kind: MarkdownConstruct.Kind) -> String {
    switch kind {
    case .frontMatter: "front matter"
    case .table: "a table"
    case .fence: "a block of code"
    case .indentedCode: "an indented block of code"
    case .html: "HTML"
    case .task: "a task box"
    case .footnote: "a footnote"
    case .underlinedHeading: "an underlined heading"
    case .plusBullet: "a list with +"
    case .tightHeading: "a heading without a space after #"
    }
  }

  private static func advice(_ kind: MarkdownConstruct.Kind) -> String? {
    switch kind {
    case .frontMatter: "move it into the title, description and tags"
    case .table: "make it a list with one line per row"
    case .fence, .indentedCode: "write plain lines"
    case .html: "use ** and * instead of tags"
    case .task: "make it a checklist, or a plain list"
    case .footnote: "write it in the text in brackets"
    case .underlinedHeading: "write it with # in front"
    case .plusBullet: "write it with - in front"
    case .tightHeading: "put a space after the last #"
    }
  }

  private static func isFixable(_ kind: MarkdownConstruct.Kind) -> Bool {
    kind == .underlinedHeading || kind == .plusBullet || kind == .tightHeading
  }
}

/// Rewrites constructs that the app shows as plain text and that have exactly one equivalent.
enum MarkdownFix {
  /// Returns the text with `- ` instead of `+ `, `#` headings instead of underlined ones, and a space after `##`.
  ///
  /// All findings about a guide offer the same text, so it does not matter which of them is corrected first.
  static func fixed(_ bytes: Span<UInt8>, _ scan: MarkdownScan) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 64)
    var done = 0
    let underlined = scan.headings.filter(\.isUnderlined)
    var next = 0
    for construct in scan.constructs where construct.range.lowerBound >= done {
      switch construct.kind {
      case .plusBullet:
        out.append(contentsOf: bytes.extracting(done..<construct.range.lowerBound))
        out.append(UInt8(ascii: "-"))
      case .tightHeading:
        out.append(contentsOf: bytes.extracting(done..<construct.range.upperBound))
        out.append(0x20)
      case .underlinedHeading:
        while next < underlined.count, underlined[next].range.lowerBound < construct.range.lowerBound { next += 1 }
        guard next < underlined.count, underlined[next].range == construct.range else { continue }
        out.append(contentsOf: bytes.extracting(done..<construct.range.lowerBound))
        out += [UInt8](repeating: UInt8(ascii: "#"), count: underlined[next].level)
        out.append(0x20)
        out.append(contentsOf: bytes.extracting(underlined[next].text))
      default: continue
      }
      done = construct.range.upperBound
    }
    out.append(contentsOf: bytes.extracting(droppingFirst: done))
    return String(decoding: out, as: UTF8.self)
  }
}
