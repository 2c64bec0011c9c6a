import Diagnostics

/// Checks a pack's index against the checksums of the pack's files.
extension PackInfo {
  /// Returns a finding for each entry with a missing file or a different checksum, and for each item file missing from
  /// the index.
  /// - Parameters:
  /// - checksums: the SHA-256 of every payload file, by the file's path in the bag.
  ///   - pack: the pack's name in findings.
  public func findings(against checksums: [String: String], pack: String) -> [Diagnostic] {
    var found: [Diagnostic] = []
    let folder = pack.hasSuffix("/") ? pack : pack + "/"
    let place = Place(file: folder + Self.path)
    var listed: Set<String> = []
    for item in items {
      let path = "data/" + item.path
      listed.insert(path)
      guard let sha256 = checksums[path] else {
        found.append(
          Diagnostic(
            .packFileMissing, "the pack does not contain '\(path)'", at: place, record: "item \(item.id)",
            title: item.title))
        continue
      }
      if sha256.utf8.elementsEqual(item.sha256.utf8) { continue }
      found.append(
        Diagnostic(
          .packFileDiffers, "the file '\(path)' has the checksum \(sha256)", at: place, record: "item \(item.id)",
          title: item.title))
    }
    let unlisted = checksums.keys.filter { path in
      PackLayout.holdsItems(path) && !listed.contains(path)
    }
    for path in unlisted.sorted() {
      found.append(
        Diagnostic(.packItemUnlisted, "the index does not list this file", at: Place(file: folder + path)))
    }
    return found
  }
}
