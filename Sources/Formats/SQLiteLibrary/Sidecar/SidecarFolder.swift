import Foundation
import Interchange
import SQLiteIO

/// The sidecar folder of a library, held open. Nothing in it is reached through a link, and nothing is read that another
/// user could have put there.
///
/// The library itself may be reached through links; the folder belongs to the file that they lead to. Its owner must be
/// the effective user, the owner of the library's file, or root, and in a folder that every user can write to, such as
/// `/tmp`, the effective user.
/// - Source: formats/sqlite-library.md, "The folder beside it"
package struct SidecarFolder: Sendable {
  /// The folder.
  package let root: OpenFolder
  private let parent: OpenFolder
  private let name: String
  /// Whether this object made it.
  package let isNew: Bool

  /// The name of the store.
  package static let stateName = "state.sqlite"

  /// Opens the folder of a library.
  /// - Returns: nil if there is none, or none that this user may read.
  /// - Throws: `RunFailure` with status 4 if the folder, or anything that FleetKit uses in it, is a link, of another
  ///   kind, or another user's.
  package init?(of library: String) throws {
    let path = Sidecar.path(of: library)
    // Without a parent folder there is no sidecar folder either.
    guard let (parent, name) = try? OpenFolder.containing(path),
      parent.entry(name) != .folder || parent.canRead(name),
      let root = try parent.folder(name, owners: Self.owners(of: library, in: parent))
    else { return nil }
    self.init(root, parent, name, isNew: false)
    try check()
  }

  /// Opens the folder of a library, and makes it first if there is none.
  /// - Throws: as `init(of:)`; 2 if it cannot be made.
  package init(making library: String) throws {
    let path = Sidecar.path(of: library)
    let (parent, name) = try OpenFolder.containing(path)
    let isNew = parent.entry(name) == .nothing
    do {
      let root = try parent.makeFolder(name, owners: Self.owners(of: library, in: parent))
      self.init(root, parent, name, isNew: isNew)
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(.failed, failure.message, advice: "Changing a library needs room for its backups beside it.")
    }
    root.makePrivate()
    try check()
  }

  private init(_ root: OpenFolder, _ parent: OpenFolder, _ name: String, isNew: Bool) {
    self.root = root
    self.parent = parent
    self.name = name
    self.isNew = isNew
  }

  private static func owners(of library: String, in parent: OpenFolder) -> OpenFolder.Owners {
    if parent.isShared { return .effectiveUser }
    var owners: Set<uid_t> = [geteuid(), 0]
    var status = stat()
    if stat(library, &status) == 0 { owners.insert(status.st_uid) }
    return .users(owners)
  }

  /// Refuses the folder if any part of it is not what it should be, whether this run needs that part or not.
  private func check() throws {
    for part in Sidecar.Part.allCases { try root.check(part.rawValue, isFolder: true) }
    for name in ["", "-journal", "-wal", "-shm"].map({ Self.stateName + $0 }) + ["lock", "sync.lock"] {
      try root.check(name, isFolder: false)
    }
  }

  /// Opens a part of the folder.
  /// - Returns: nil if there is none.
  /// - Throws: `RunFailure` with status 4 if it is a link, not a folder, or another user's.
  package func part(_ part: Sidecar.Part) throws -> OpenFolder? { try root.folder(part.rawValue) }

  /// The path of the store for SQLite, free of links, so that SQLite can be told to follow none.
  /// - Returns: nil if there is no store.
  /// - Throws: `RunFailure` with status 4 if the folder was replaced after it was opened.
  package func state() throws -> String? {
    root.entry(Self.stateName) == .nothing ? nil : try statePath()
  }

  /// The same, whether there is a store or not.
  package func statePath() throws -> String {
    let real = realpath(root.path, nil)
    defer { free(real) }
    guard let real, case let path = String(cString: real), root.isAt(path) else {
      throw RunFailure(
        .refused, "use '\(root.path)': another folder took its place", advice: "Run it again. Nothing was changed.")
    }
    return path + "/" + Self.stateName
  }

  /// Copies the store with its journal to the folder of another library.
  /// - Throws: `RunFailure` with status 2 when it cannot be read or written.
  func copyState(to other: SidecarFolder) throws {
    for suffix in ["", "-journal"] {
      let name = Self.stateName + suffix
      guard let source = try root.file(name, O_RDONLY) else { continue }
      defer { close(source) }
      guard let target = try other.root.file(name, O_WRONLY | O_CREAT | O_TRUNC) else { continue }
      defer { close(target) }
      try FileCopy.copyUnsynced(from: source, to: target)
    }
  }

  /// Removes the folder with everything in it.
  func remove() { parent.remove(name) }
}
