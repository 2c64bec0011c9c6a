/// Tells which links can lead nowhere, whatever else is there.
package enum BrokenLink {
  /// Why the link leads nowhere; nil when it may lead somewhere.
  package static func reason(_ link: MarkdownLink, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let page = link.page
    if link.form == .broken { return "its target has blanks, and is shown as typed; write %20 for a blank" }
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
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ prefix: StaticString
  ) -> Bool { WebAddress.begins(bytes, range, with: prefix) }
}
