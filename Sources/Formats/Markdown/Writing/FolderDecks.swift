import Content
import Foundation

/// The ids of decks that are folders of cards, where they do not follow from the folder's path: the notes of cards say
/// no id of their deck.
///
/// Kept in `.fleetkit/decks`, one line a folder, in the order of paths: the id, a space, the folder's path with a slash
/// at its end. Lines that are something else count as not there. It goes with the vault: its notes are the same decks
/// on another computer.
/// - Source: formats/markdown.md, "What is written"
struct FolderDecks {
  /// Where it lies in a vault.
  static let path = VaultPath.hiddenFolder + "/decks"
  /// A file that is longer is not ours.
  private static let longest = 1 << 26

  private var ids: [String: String] = [:]
  /// The bytes of the file that is there.
  private let old: [UInt8]

  /// Reads what a vault knows; nothing where there is no such file.
  /// - Parameter vault: nil for a vault that is not there yet.
  init(vault: String?) {
    old = vault.flatMap { FileBytes.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    for line in old.split(separator: 0x0A) where line.count > 38 && line[line.startIndex + 36] == 0x20 {
      let id = String(decoding: line.prefix(36), as: UTF8.self)
      guard UUIDText.form(of: id) == .canonical, line.last == UInt8(ascii: "/") else { continue }
      ids[String(decoding: line.dropFirst(37), as: UTF8.self).precomposed] = id
    }
  }

  /// The id of a folder; nil when it follows from its path.
  /// - Parameter folder: its path, with a slash at its end.
  func id(of folder: String) -> String? { ids.isEmpty ? nil : ids[folder.precomposed] }

  /// Notes the id of a folder.
  /// - Parameter derived: the id that follows from its path; nil where nobody knows the path yet.
  mutating func add(_ folder: String, id: String, derived: String?) {
    ids[folder.precomposed] = id == derived ? nil : id
  }

  /// The file as it should be; nil where it is as it should be.
  var changed: [UInt8]? {
    var text: [UInt8] = []
    for (folder, id) in ids.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    where !folder.utf8.contains(0x0A) {
      text += Array("\(id) \(folder)\n".utf8)
    }
    return text == old ? nil : text
  }
}
