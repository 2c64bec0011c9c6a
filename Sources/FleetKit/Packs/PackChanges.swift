import ContentPack

/// How many items of a pack are otherwise than in the version before.
public struct PackChanges: Sendable, Equatable {
  /// Items that the version before does not have.
  public let added: Int
  /// Items that both have, in files of other bytes.
  public let changed: Int
  /// Items that only the version before has.
  public let gone: Int

  /// Compares two indexes by the ids and the checksums that they say.
  public init(from old: PackInfo, to new: PackInfo) {
    var before: [String: String] = [:]
    for item in old.items { before[item.id] = item.sha256 }
    var added = 0
    var changed = 0
    for item in new.items {
      guard let sha256 = before.removeValue(forKey: item.id) else {
        added += 1
        continue
      }
      if sha256 != item.sha256 { changed += 1 }
    }
    self.added = added
    self.changed = changed
    gone = before.count
  }
}
