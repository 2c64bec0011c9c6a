import JSONText

/// The origin of an item's content, as given by the item.
struct Lineage {
  /// The name of the original author.
  var author: String?
  /// The original author's account.
  var authorID: String?
  /// The original's public id.
  var publicID: String?
  /// The registry id of the publication that the item was forked from.
  var forkedFrom: String?

  /// Reads an item's lineage; returns nil if the item names no origin.
  init?(_ item: JSONNode) {
    func text(_ name: StaticString) -> String? { item.member(name)?.string.flatMap { $0.isEmpty ? nil : $0 } }
    author = text("original_author_username")
    authorID = text("original_author_user_id")
    publicID = text("original_content_public_id")
    forkedFrom = text("forked_from_id")
    if author == nil, authorID == nil, publicID == nil, forkedFrom == nil { return nil }
  }
}

/// Writes `data/ATTRIBUTION.md`, which lists the origins of the items in a pack.
struct AttributionWriter {
  /// The pack's description, with its publisher and licence.
  let info: PackInfo

  /// Returns the content of the file.
  /// - Parameter entries: the items that are based on other authors' work, in pack order.
  func text(_ entries: [(title: String, path: String, lineage: Lineage)]) -> [UInt8] {
    var text = "# Attribution\n\n"
    text += "Pack: \(Self.plain(info.name))"
    if let version = info.version { text += " \(Self.plain(version.text))" }
    text += "  \nPublisher: \(Self.plain(info.publisher ?? "NOASSERTION"))"
    text += "  \nLicence: \(Self.plain(info.licence ?? "NOASSERTION"))\n\n"
    guard !entries.isEmpty else {
      return Array((text + "No item of this pack says that it was made from somebody else's work.\n").utf8)
    }
    text += "These items were made from the work of others, as their lineage says.\n"
    for entry in entries {
      text += "\n## \(Self.plain(entry.title))\n\n- File: `\(entry.path)`\n"
      if let author = entry.lineage.author { text += "- Original author: \(Self.plain(author))\n" }
      if let authorID = entry.lineage.authorID { text += "- Original author's account: \(Self.plain(authorID))\n" }
      if let publicID = entry.lineage.publicID { text += "- Public id of the original: \(Self.plain(publicID))\n" }
      if let forkedFrom = entry.lineage.forkedFrom { text += "- Forked from: \(Self.plain(forkedFrom))\n" }
    }
    return Array(text.utf8)
  }

  /// Returns a string on one line, with Markdown's special characters escaped.
  private static func plain(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "!", "&": out.append(contentsOf: ["\\", scalar])
      default: out.append(scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
      }
    }
    return String(out)
  }
}
