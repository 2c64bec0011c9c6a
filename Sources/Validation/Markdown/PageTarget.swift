/// The page that a link in a guide names, and the heading on that page.
struct PageTarget {
  /// The page's name without folders and extension; empty for the same page.
  let page: String
  /// The text after `#`, with percent escapes such as `%20` resolved.
  let section: String?

  /// The hash of the page's name.
  var pageKey: UInt64 { TextKey.hash(page, .letters) }
  /// The hash of the heading; nil if the link names no heading or names a block.
  var sectionKey: UInt64? { section.map { TextKey.hash($0, .letters) } }

  /// Makes a target from a link. Fails if the link does not name a page but a web address, a picture or another
  /// program.
  init?(_ link: MarkdownLink, _ bytes: UnsafeBufferPointer<UInt8>) {
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
  package static func reason(_ link: MarkdownLink, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
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
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ prefix: StaticString
  ) -> Bool { WebAddress.begins(bytes, range, with: prefix) }
}
