import Diagnostics

/// A web link begins with `https://`.
///
/// Anyone on the harbour's Wi-Fi can read and change content that is loaded over `http://`. Only the first such link in
/// each piece of text is reported.
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Weather", "content_data": {
///   "markdown": "Ask [the office](http://weather.example.org/bulletin) twice a day.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "practice_guide", "title": "Погода", "content_data": {
///   "markdown": "Спросить [бюро](https://weather.example.org) дважды в день. Адрес камеры: http://localhost:80/\n"}}
/// ```
struct NoInsecureLinks: Rule {
  static let code = DiagnosticCode(
    "LNT0307", "insecure-link", .note, "A link begins with http://.",
    why: "anyone on the same Wi-Fi can read and change the linked page", fix: "try the link with https://")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .web) { text in
      let bytes = text.bytes.span
      var first: Range<Int>?
      var count = 0
      var searched = 0
      while let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: searched) {
        let at = colon - 4
        guard at >= searched, at + 7 < bytes.count, WebAddress.begins(bytes, at..<bytes.count, with: "http://") else {
          // An address at a later colon cannot begin before this position.
          searched = colon + 1
          continue
        }
        var end = at + 7
        while end < bytes.count, !Self.ends(bytes[end]) { end += 1 }
        // A device on board has no certificate.
        if !Self.isOnBoard(bytes, at + 7..<end) {
          first = first ?? at..<end
          count += 1
        }
        searched = end
      }
      guard let first else { return }
      report.finding(
        "the link \(Quotation.of(bytes, first)) is not encrypted\(Quotation.more(count - 1))", at: text.node, in: first)
    }
  }

  /// Returns the position of the next colon. Colons are much rarer than the letter h.

  private static func ends(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x22 || byte == UInt8(ascii: ")") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "]")
  }

  /// Whether the host is a device in the boat's own network: an IP address, or a name without dots.
  private static func isOnBoard(_ bytes: Span<UInt8>, _ rest: Range<Int>) -> Bool {
    var host = bytes.extracting(rest)
    if let end = host.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }) {
      host = host.extracting(first: end)
    }
    return !host.contains(UInt8(ascii: ".")) || host.allSatisfy { $0 == UInt8(ascii: ".") || $0 &- 0x30 < 10 }
      || WebAddress.begins(host, max(0, host.count - 6)..<host.count, with: ".local")
  }
}
