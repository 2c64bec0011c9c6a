import Foundation

/// The folder of a vault in which notes are kept that had to make room; nothing that somebody typed is deleted.
enum SetAside {
  /// The name that a note gets there, as a path in the vault.
  /// - Parameter taken: names that others get in the same run.
  static func name(for path: String, in vault: String, taken: Set<String> = []) -> String {
    var name = path.replacing("/", with: " - ")
    if name.utf8.count > VaultPath.longestName {
      // The end is what tells it: the note's own name.
      let end = name.utf8.suffix(VaultPath.longestName).drop { $0 & 0xC0 == 0x80 }
      name = String(decoding: end, as: UTF8.self)
    }
    var free = VaultPath.setAside + "/" + name
    var number = 2
    while taken.contains(VaultPath.folded(free)) || VaultPath.entry(at: vault + "/" + free) != .nothing {
      free = "\(VaultPath.setAside)/\(number) \(name)"
      number += 1
    }
    return free
  }

  /// Makes the folder.
  static func make(in vault: String) {
    try? FileManager.default.createDirectory(
      atPath: vault + "/" + VaultPath.setAside, withIntermediateDirectories: true)
  }

  /// Takes a note out of the way whose item the bundle has now.
  static func move(_ path: String, in vault: String) {
    make(in: vault)
    rename(vault + "/" + path, vault + "/" + name(for: path, in: vault))
  }
}
