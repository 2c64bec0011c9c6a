import Content
import Foundation
import Interchange
import YAMLText

/// The vault that the notes of a source belong to: its root, and the name by which ids are derived from paths.
///
/// A single note, or a folder inside a vault, belongs to the vault around it, so that its ids are the same whether it
/// is read alone or with all the others.
struct VaultRoot {
  /// The absolute path of the vault's root, without a slash at its end.
  let path: String
  /// The path of the folder that was named from the root, with a slash at its end; empty for the root itself.
  let prefix: String
  /// What ids are derived from: `source:` of `.fleetkit.yml`, else the root's path.
  let sourceID: String

  /// What the root of a vault has in it.
  private static let marks = [
    ".fleetkit/library.jsonl", ".obsidian", ".fleetkit.yml", "mkdocs.yml", "_config.yml", "hugo.toml", "hugo.yaml",
  ]
  /// Folders above this many are not looked at.
  private static let height = 32

  /// Names a root that is no folder.
  init(_ path: String, sourceID: String) {
    self.path = path
    prefix = ""
    self.sourceID = sourceID
  }

  /// Finds the root of a folder.
  init(around folder: String) {
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
    self.path = root
    // By bytes: a name may begin with a mark that joins the slash before it to one character.
    prefix = root == path ? "" : String(decoding: path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self) + "/"
    sourceID = Self.configuredSource(root) ?? root
  }

  private static func absolute(_ path: String) -> String {
    let standard = URL(fileURLWithPath: path).standardizedFileURL.path
    return standard.count > 1 && standard.hasSuffix("/") ? String(standard.dropLast()) : standard
  }

  private static func configuredSource(_ root: String) -> String? {
    let file = root + "/.fleetkit.yml"
    var status = stat()
    // A pipe of that name would keep us waiting, and no one writes a configuration of megabytes.
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 20,
      let data = FileManager.default.contents(atPath: file),
      let yaml = try? YAMLDocument(parsing: String(decoding: data, as: UTF8.self))
    else { return nil }
    return yaml.json.root["source"]?.string
  }
}

/// What a vault knows of its notes: where they belong, their ids, and what they do not contain.
struct VaultPlace {
  private let vault: VaultRoot
  /// The ids of folders that are decks, where they do not follow from the folders.
  private let decks: FolderDecks
  /// What its notes do not contain.
  let notes: NoteSupplements

  /// Names a root that is no folder.
  init(root: String, sourceID: String) {
    vault = VaultRoot(root, sourceID: sourceID)
    decks = FolderDecks(vault: nil)
    notes = NoteSupplements(vault: nil)
  }

  /// Reads what the vault around a folder knows.
  init(folder: String) {
    vault = VaultRoot(around: folder)
    decks = FolderDecks(vault: vault.path)
    notes = NoteSupplements(vault: vault.path)
  }

  /// The absolute path of the vault's root, without a slash at its end.
  var root: String { vault.path }

  /// The path of the folder that was named from the root, with a slash at its end; empty for the root itself.
  var prefix: String { vault.prefix }

  /// What ids are derived from: `source:` of `.fleetkit.yml`, else the root's path.
  var sourceID: String { vault.sourceID }

  /// What the root is called.
  var name: String { String(root.split(separator: "/").last ?? "") }

  /// The id that follows from the path of a note.
  /// - Parameter path: its path from the root.
  func derivedID(at path: String) -> String { UUIDText.derived(ofNote: path.precomposed, in: sourceID) }

  /// The id of a deck that is a folder of cards.
  /// - Parameter folder: its path from the root, with a slash at its end.
  func deckID(of folder: String) -> String { decks.id(of: folder) ?? derivedDeckID(of: folder) }

  /// The id that follows from a folder of cards.
  /// - Parameter folder: its path from the root, with a slash at its end.
  func derivedDeckID(of folder: String) -> String { UUIDText.derived(ofNote: folder.precomposed, in: sourceID) }
}

/// How the notes of a source are called: for people, for the system, and within their vault.
struct VaultPaths: Sendable {
  /// The source as the user named it.
  let source: String
  /// Whether the source is one note and no folder.
  let isNote: Bool
  /// The vault around it.
  let place: VaultPlace
  /// The files of a source that are no files of the disk, as those of a pack; nil for vaults.
  let members: (any MemberSource)?

  /// What FleetKit wrote into the vault last.
  let memory: VaultMemory?

  /// Looks at a source.
  init(_ source: Source) {
    self.source = source.path
    isNote = Self.isNote(source)
    place = VaultPlace(folder: isNote ? Self.folder(of: source.path) : source.path)
    members = nil
    memory = VaultMemory(vault: place.root)
  }

  /// Names notes that are inside something larger.
  init(_ members: any MemberSource) {
    source = members.name
    isNote = false
    place = VaultPlace(root: members.name, sourceID: members.idScope)
    memory = nil
    self.members = members
  }

  /// Whether a source is one note and no folder.
  static func isNote(_ source: Source) -> Bool {
    var isFolder: ObjCBool = false
    return source.isStandardInput
      || !(FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder) && isFolder.boolValue)
  }

  /// The folder that a file is in. Foundation's own way to say it traps on a name of one character, such as `-`.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether the source is all of a vault, so that what it does not have is not there.
  var isWhole: Bool { !isNote && place.prefix.isEmpty && members == nil }

  private var folder: String { source.hasSuffix("/") ? source : source + "/" }

  /// A note as the user would name it.
  func shown(_ path: String) -> String {
    if let members, let index = members.index(of: path) { return members.shown(index) }
    return path.hasPrefix("/") ? path : isNote ? source : folder + path
  }

  /// A note as the system finds it.
  func real(_ path: String) -> String { path.hasPrefix("/") ? path : isNote ? source : folder + path }

  /// The folder that paths of attachments count from: the source where it is all of a vault, else the vault around it.
  var mediaFolder: String { isWhole ? source : place.root }

  /// A path from the vault's root, as it counts from the source: absolute where the source is a part of the vault.
  func fromSource(_ path: String) -> String { isWhole ? path : place.root + "/" + path }

  /// A path from the vault's root, as a path from the folder that was named.
  func fromFolder(_ path: String) -> String {
    String(decoding: path.utf8.dropFirst(place.prefix.utf8.count), as: UTF8.self)
  }

  /// A note's path from the vault's root.
  func inVault(_ path: String) -> String {
    guard let members else { return place.prefix + path }
    guard path.utf8.starts(with: members.folder.utf8) else { return path }
    return String(decoding: path.utf8.dropFirst(members.folder.utf8.count), as: UTF8.self)
  }
}
