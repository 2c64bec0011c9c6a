/// The names that an archive has used, so that no two of them can become one file.
///
/// Holds a number of 64 bits for each name and for each folder that a name implies.
struct NameGuard {
  private var kinds: [Int: Bool] = [:]
  private let limit: Int

  /// Begins with no names; folders that names imply count as entries.
  init(limit: Int) { self.limit = limit }

  /// Takes a name.
  /// - Returns: why it is refused; nil when it may be used.
  mutating func take(_ name: String, isFolder: Bool) -> String? {
    let key = MemberName.key(name)
    // The folders that it lies in, the innermost first: most were seen with the file before.
    var bytes = Array(key.utf8)[...]
    if let known = kinds[bytes.hashValue] {
      if isFolder, known { return nil }
      return known || isFolder
        ? "it is a file and a folder at once" : "another file has the same name, or one that differs in case only"
    }
    kinds[bytes.hashValue] = isFolder
    while let slash = bytes.lastIndex(of: UInt8(ascii: "/")) {
      bytes = bytes[..<slash]
      if let known = kinds[bytes.hashValue] {
        if !known { return "it lies in something that is a file" }
        break
      }
      kinds[bytes.hashValue] = true
    }
    return kinds.count > limit ? "the archive has more than \(limit) files and folders" : nil
  }
}
