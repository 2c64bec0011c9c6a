/// The names that an archive has used, so that no two of them can become one file.
///
/// Holds one 64-bit number for each name and for each folder that a name implies.
struct NameGuard {
  private var kinds: [Int: Bool] = [:]
  private let limit: Int

  /// Starts without names; folders that names imply count as entries.
  init(limit: Int) { self.limit = limit }

  /// Adds a name.
  /// - Returns: why it is refused; nil if it may be used.
  mutating func take(_ name: String, isFolder: Bool) -> String? {
    let key = MemberName.key(name)
    // Its parent folders, the innermost first: most are known from the file before.
    var bytes = Array(key.utf8)[...]
    if let known = kinds[bytes.hashValue] {
      if isFolder, known { return nil }
      return known || isFolder
        ? "it is both a file and a folder" : "another file has the same name, or one that differs in case only"
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
