/// Rewrites constructs that the app shows as plain text and that have exactly one equivalent.
enum MarkdownFix {
  /// Returns the text with `- ` instead of `+ `, `#` headings instead of underlined ones, and a space after `##`.
  ///
  /// All findings about a guide offer the same text, so it does not matter which of them is corrected first.
  static func fixed(_ bytes: UnsafeBufferPointer<UInt8>, _ scan: MarkdownScan) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + 64)
    var done = 0
    let underlined = scan.headings.filter(\.isUnderlined)
    var next = 0
    for construct in scan.constructs where construct.range.lowerBound >= done {
      switch construct.kind {
      case .plusBullet:
        out += bytes[done..<construct.range.lowerBound]
        out.append(UInt8(ascii: "-"))
      case .tightHeading:
        out += bytes[done..<construct.range.upperBound]
        out.append(0x20)
      case .underlinedHeading:
        while next < underlined.count, underlined[next].range.lowerBound < construct.range.lowerBound { next += 1 }
        guard next < underlined.count, underlined[next].range == construct.range else { continue }
        out += bytes[done..<construct.range.lowerBound]
        out += [UInt8](repeating: UInt8(ascii: "#"), count: underlined[next].level)
        out.append(0x20)
        out += bytes[underlined[next].text]
      default: continue
      }
      done = construct.range.upperBound
    }
    out += bytes[done...]
    return String(decoding: out, as: UTF8.self)
  }
}
