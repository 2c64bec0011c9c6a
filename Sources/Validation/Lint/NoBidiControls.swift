import Diagnostics

/// Text has no hidden controls that change the writing direction.
///
/// Such controls make text look different from its content: a channel, a position or a file name can appear reversed.
/// Right-to-left languages need marks and isolates, so these are allowed in such languages. Embeddings and overrides
/// are never needed. `--fix` removes the controls that are not allowed.
///
/// ```json bad /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Radio", "content_data": {"sections": [
///   {"title": "Calls", "items": [{"title": "Marina on channel \u202e12\u202c"}]}]}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "\u200fערוץ \u2066VHF 16\u2069 פתוח", "language": "he",
///  "content_data": {"sections": []}}
/// ```
struct NoBidiControls: Rule {
  static let code = DiagnosticCode(
    "LNT0408", "bidi-control", .error, "Text has hidden controls that change the writing direction.",
    why: "the text can look different from its content", fix: "remove the controls")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .bidi) { text in
      let isRightToLeft = Languages.isRightToLeft(item.language?.string ?? "") || Self.hasRightToLeft(text.bytes.span)
      let odd = Self.odd(in: text.bytes.span, isRightToLeft: isRightToLeft)
      guard let first = odd.first else { return }
      let (scalar, _) = UTF8Reader.scalar(text.bytes.span, first.lowerBound)
      report.finding(
        "the text has the hidden control \(UTF8Reader.name(scalar))\(Quotation.more(odd.count - 1))", at: text.node,
        in: first, label: "changes the direction", edit: .text(Self.removing(odd, from: text.bytes.span)))
    }
  }

  private static func hasRightToLeft(_ bytes: Span<UInt8>) -> Bool {
    var at = 0
    while at < bytes.count {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      // The Arabic letter mark is one of the controls, not a letter.
      if let script = Script(scalar), script == .hebrew || script == .arabic, scalar != 0x61C { return true }
      at += length
    }
    return false
  }

  private static func odd(in bytes: Span<UInt8>, isRightToLeft: Bool) -> [Range<Int>] {
    var odd: [Range<Int>] = []
    var isolates: [Range<Int>] = []
    var at = 0
    while at < bytes.count {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      let range = at..<at + length
      at += length
      guard let control = BidiControl(scalar) else { continue }
      switch control {
      case .mark where isRightToLeft: break
      case .isolate where isRightToLeft: isolates.append(range)
      case .isolateEnd where isRightToLeft && !isolates.isEmpty: isolates.removeLast()
      default: odd.append(range)
      }
    }
    // An unclosed isolate affects the rest of the paragraph.
    return isolates.isEmpty ? odd : (odd + isolates).sorted { $0.lowerBound < $1.lowerBound }
  }

  private static func removing(_ ranges: [Range<Int>], from bytes: Span<UInt8>) -> String {
    var out: [UInt8] = []
    var done = 0
    for range in ranges {
      out.append(contentsOf: bytes.extracting(done..<range.lowerBound))
      done = range.upperBound
    }
    out.append(contentsOf: bytes.extracting(droppingFirst: done))
    return String(decoding: out, as: UTF8.self)
  }
}
