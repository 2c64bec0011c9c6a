import Content
import Foundation
import YAMLText

/// Where the notes of a source belong: the vault's root, and the name by which ids are derived from paths.
///
/// A single note, or a folder inside a vault, belongs to the vault around it, so that its ids are the same whether it
/// is read alone or with all the others.
struct VaultPlace {
  /// The absolute path of the vault's root, without a slash at its end.
  let root: String
  /// The path of the folder that was named from the root, with a slash at its end; empty for the root itself.
  let prefix: String
  /// What ids are derived from: `source:` of `.fleetkit.yml`, else the root's path.
  let sourceID: String

  /// The ids of folders that are decks, where they do not follow from the folders.
  private let decks: FolderDecks
  /// What its notes do not contain.
  let notes: NoteSupplements

  /// The id that follows from the path of a note.
  /// - Parameter path: its path from the root.
  func derivedID(at path: String) -> String { UUIDText.derived(ofNote: path.precomposed, in: sourceID) }

  /// The id of a deck that is a folder of cards.
  /// - Parameter folder: its path from the root, with a slash at its end.
  func deckID(of folder: String) -> String { decks.id(of: folder) ?? derivedDeckID(of: folder) }

  /// The id that follows from a folder of cards.
  /// - Parameter folder: its path from the root, with a slash at its end.
  func derivedDeckID(of folder: String) -> String { UUIDText.derived(ofNote: folder.precomposed, in: sourceID) }

  /// What the root is called.
  var name: String { String(root.split(separator: "/").last ?? "") }

  /// What lies in the root of a vault.
  private static let marks = [
    ".fleetkit/library.jsonl", ".obsidian", ".fleetkit.yml", "mkdocs.yml", "_config.yml", "hugo.toml", "hugo.yaml",
  ]
  /// Folders above this many are not looked at.
  private static let height = 32

  /// Names a root that is no folder.
  init(root: String, sourceID: String) {
    self.root = root
    prefix = ""
    self.sourceID = sourceID
    decks = FolderDecks(vault: nil)
    notes = NoteSupplements(vault: nil)
  }

  /// Finds the root of a folder.
  init(folder: String) {
    let path = Self.absolute(folder)
    var root = path
    var candidate = path
    for _ in 0..<Self.height {
      if Self.marks.contains(where: { access(candidate + "/" + $0, F_OK) == 0 }) {
        root = candidate
        break
      }
      guard let slash = candidate.lastIndex(of: "/"), slash != candidate.startIndex else { break }
      candidate = String(candidate[..<slash])
    }
    self.root = root
    // By bytes: a name may begin with a mark that joins the slash before it to one character.
    prefix = root == path ? "" : String(decoding: path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self) + "/"
    sourceID = Self.configuredSource(root) ?? root
    decks = FolderDecks(vault: root)
    notes = NoteSupplements(vault: root)
  }

  private static func absolute(_ path: String) -> String {
    let standard = URL(fileURLWithPath: path).standardizedFileURL.path
    return standard.count > 1 && standard.hasSuffix("/") ? String(standard.dropLast()) : standard
  }

  private static func configuredSource(_ root: String) -> String? {
    let file = root + "/.fleetkit.yml"
    var status = stat()
    // A pipe of that name would keep us waiting, and nobody writes a configuration of megabytes.
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 20,
      let data = FileManager.default.contents(atPath: file),
      let yaml = try? YAMLDocument(parsing: String(decoding: data, as: UTF8.self))
    else { return nil }
    return yaml.json.root["source"]?.string
  }
}
