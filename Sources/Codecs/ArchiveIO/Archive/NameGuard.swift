/// The names that an archive has used. The guard ensures that no two of them become the same file.
///
/// Memory holds one 64-bit number for each name and for each folder that a name implies.
struct NameGuard {
  private var kinds: [Int: Bool] = [:]
  private let limit: Int

  /// Creates a guard without names. The limit includes the folders that names imply.
  init(limit: Int) { self.limit = limit }

  /// Adds a name.
  /// - Returns: the reason why the name is rejected, or nil if it may be used.
  mutating func take(_ name: String, isFolder: Bool) -> String? {
    let key = MemberName.key(name)
    // The parent folders are checked from the innermost outwards, because most are known from the previous file.
    var bytes = Array(key.utf8)[...]
    if let known = kinds[bytes.hashValue] {
      if isFolder, known { return nil }
      return known || isFolder
        ? "it is both a file and a folder" : "another file has the same name or one that differs only in case"
    }
    kinds[bytes.hashValue] = isFolder
    while let slash = bytes.lastIndex(of: UInt8(ascii: "/")) {
      bytes = bytes[..<slash]
      if let known = kinds[bytes.hashValue] {
        if !known { return "its parent folder is a file" }
        break
      }
      kinds[bytes.hashValue] = true
    }
    return kinds.count > limit ? "the archive has more than \(limit) files and folders" : nil
  }
}
