/// The folders of a vault, for links that lead to one: `[[guides/]]`. Eight bytes a folder.
struct LinkFolders {
  private var keys: Set<UInt64> = []
  /// The folder that was added last; files come folder by folder.
  private var last = ""

  /// Takes the folders that a file lies in.
  mutating func add(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
    var folder = path[..<slash]
    guard folder.utf8.elementsEqual(last.utf8) == false else { return }
    last = String(folder)
    while keys.insert(LinkKey.name(folder)).inserted {
      guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
      folder = folder[..<slash]
    }
  }

  /// Whether a link leads to a folder, from the vault's root or from the folder of the note that it stands in.
  func contains(_ link: String, from note: String) -> Bool {
    if keys.contains(LinkKey.name(LinkPath.name(link))) { return true }
    return LinkPath.resolved(link, from: note).map { keys.contains(LinkKey.name($0)) } ?? false
  }
}
