import Foundation
import Interchange

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
    var isFolder: ObjCBool = false
    isNote =
      source.isStandardInput
      || !(FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder) && isFolder.boolValue)
    place = VaultPlace(folder: isNote ? Self.folder(of: source.path) : source.path)
    members = nil
    memory = VaultMemory(vault: place.root)
  }

  /// Names notes that lie inside something larger.
  init(_ members: any MemberSource) {
    source = members.name
    isNote = false
    place = VaultPlace(root: members.name, sourceID: members.idScope)
    memory = nil
    self.members = members
  }

  /// The folder that a file lies in. Foundation's own way to say it traps on a name of one character, such as `-`.
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
