/// The page, and the heading on it, that a link of a guide names.
struct PageTarget {
  /// The page's name without folders and ending; empty for the page itself.
  let page: String
  /// What stands behind `#`, with `%20` and the like resolved.
  let section: String?

  /// The number of the page's name.
  var pageKey: UInt64 { TextKey.hash(page, .letters) }
  /// The number of the heading; nil where the link names none, or a block.
  var sectionKey: UInt64? { section.map { TextKey.hash($0, .letters) } }

  /// Reads a link; nil when it leads to no page: into the network, to a picture, to another program.
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
    // Programs name a heading with the headings above it: the last one counts. ^ names a block.
    let written = link.section.map { FileName.decoded(UTF8Reader.string(bytes, $0)) }
    let last = written?.split(separator: "#").last.map(String.init)
    section = last.flatMap { $0.isEmpty || $0.hasPrefix("^") ? nil : $0 }
    if page.isEmpty, section == nil { return nil }
  }
}
