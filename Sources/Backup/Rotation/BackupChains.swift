/// The dependencies between backups: their parents, their chains, and the backups that are missing in the chains.
///
/// A parent may exist more than once, as copies under several names. Cycles, which occur only in forged backups, count
/// as broken.
package struct BackupChains {
  private let identities: [String: String]
  private let parents: [String: String]
  private let files: [String: [String]]
  private var lengths: [String: Int] = [:]

  /// Creates the chains of backups. Each backup is given by its file, its identity and the identity of its parent.
  package init(_ backups: [(file: String, identity: String, parent: String?)]) {
    var identities: [String: String] = [:]
    var parents: [String: String] = [:]
    var files: [String: [String]] = [:]
    for backup in backups {
      identities[backup.file] = backup.identity
      if let parent = backup.parent { parents[backup.identity] = parent }
      files[backup.identity, default: []].append(backup.file)
    }
    self.identities = identities
    self.parents = parents
    self.files = files
    // Each chain is followed once, and the result is stored for all of its backups.
    for identity in files.keys where lengths[identity] == nil { measure(identity) }
  }

  private mutating func measure(_ identity: String) {
    var path: [String] = []
    var seen = Set<String>()
    var at = identity
    var length = 0
    while true {
      if let known = lengths[at] {
        length = known
        break
      }
      guard files[at] != nil, seen.insert(at).inserted else { break }
      path.append(at)
      guard let parent = parents[at] else {
        path.removeLast()
        lengths[at] = 1
        length = 1
        break
      }
      at = parent
    }
    for identity in path.reversed() {
      length = length == 0 ? 0 : length + 1
      lengths[identity] = length
    }
  }

  /// Returns the number of backups needed to restore a file, including the file itself: 1 for a full backup, 0 if one
  /// of them is missing.
  package func length(of file: String) -> Int { identities[file].flatMap { lengths[$0] } ?? 0 }

  /// Whether a backup that a file needs is missing.
  package func isBroken(_ file: String) -> Bool { length(of: file) == 0 }

  /// Returns the existing files that a file needs, nearest first.
  package func ancestors(of file: String) -> [String] {
    var all: [String] = []
    guard var at = identities[file] else { return [] }
    var seen: Set<String> = [at]
    while let parent = parents[at], let found = files[parent], seen.insert(parent).inserted {
      all += found
      at = parent
    }
    return all
  }

  /// Returns the file of a file's parent; nil for a full backup, or if the parent is missing.
  package func parent(of file: String) -> String? {
    identities[file].flatMap { parents[$0] }.flatMap { files[$0]?.first }
  }
}
