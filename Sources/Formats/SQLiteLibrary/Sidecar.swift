import Content
import Foundation
import Interchange
import SQLiteIO

/// The folder next to a library, `<library>.fleetkit/`, for data that the app's file cannot hold.
///
/// Only the folder's owner can read it. Commands that change the library create the folder and hold its lock. Commands
/// that only read do neither.
/// - Source: formats/sqlite-library.md, "The sidecar folder"
package final class Sidecar {
  /// The open folder, through which every file in it is accessed.
  package let folder: SidecarFolder
  private let lock: Int32
  private var isLocked = false

  /// The folder's path.
  package var path: String { folder.root.path }

  /// The subfolders.
  package enum Part: String, CaseIterable {
    /// The copies of the library that were made before it was changed.
    case backups
    /// The temporary files of a run; empty when no run is in progress.
    case staging
    /// The records that could not be imported, with the reasons.
    case rejects
    /// The bundles with content that could not be repaired.
    case quarantine
    /// The attachment files, each named by its SHA-256.
    case media
    /// The journals with the changes of the last runs, so that the runs can be undone.
    case undo
  }

  /// Returns the path of a library's folder, whether the folder exists or not. Links are followed, so that a library
  /// has only one folder.
  package static func path(of library: String) -> String {
    var status = stat()
    guard lstat(library, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return library + ".fleetkit" }
    let real = realpath(library, nil)
    defer { free(real) }
    return (real.map { String(cString: $0) } ?? library) + ".fleetkit"
  }

  /// Creates the folder if necessary and takes its lock.
  /// - Throws: `RunFailure` with status 4 if something in the folder is a symbolic link or belongs to another user, 7
  ///   if another run holds the lock, 2 if the folder cannot be created.
  package init(of library: String) throws {
    folder = try SidecarFolder(making: library)
    guard let lock = try folder.root.file("lock", O_RDWR | O_CREAT) else {
      throw RunFailure(.failed, "open '\(folder.root.path("lock"))': another process removed it at the same time")
    }
    self.lock = lock
    // Retry for a moment, because a script may start the next run while the previous one is ending.
    isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
    for _ in 0..<20 where !isLocked {
      usleep(50_000)
      isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
    }
    guard isLocked else {
      throw RunFailure(
        .locked, "change library '\(library)': another fleetkit command is changing it",
        advice: "Wait until it has finished.")
    }
    // Any files here were left by a killed run: while this run holds the lock, no other run can work here.
    try folder.part(.staging)?.removeAll()
  }

  deinit {
    // Empty folders would only raise questions. Without the lock, however, they may belong to another run.
    if isLocked {
      for part in Part.allCases { folder.root.removeIfEmpty(part.rawValue) }
    }
    close(lock)
  }

  /// Removes the folder if this run created it. Called when the library was not created.
  package func removeIfNew() { if folder.isNew { folder.remove() } }

  /// Returns a subfolder, and creates it if necessary.
  /// - Throws: `RunFailure` with status 4 if the subfolder is a symbolic link or not a folder, 2 if it cannot be
  ///   created.
  package func part(_ part: Part) throws -> OpenFolder { try folder.root.makeFolder(part.rawValue) }

  /// Returns a name for a run's output files. The name contains the time at which the run first began, so it stays the
  /// same when the run is resumed.
  package static func name(of run: StateStore.Run, _ what: String) -> String { "\(run.stamp)-\(what)" }

  /// Returns an unused name in a subfolder. Names sort by time: `20261121T141500123Z-migrate-1.4.0.sqlite`.
  package func freshName(_ part: Part, _ what: String, _ ending: String) throws -> (folder: OpenFolder, name: String) {
    let folder = try self.part(part)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyyMMdd'T'HHmmssSSS'Z'"
    while true {
      let stem = "\(formatter.string(from: Date()))-\(what)"
      // Names are compared without their extensions, because rejects and their reasons share a name.
      if !folder.names.contains(where: { $0.hasPrefix(stem + ".") }) { return (folder, "\(stem).\(ending)") }
      usleep(1000)
    }
  }
}

/// A library's open sidecar folder. Its contents are never accessed through a symbolic link, and no file is read that
/// another user could have created.
///
/// The library's path may contain links; the folder belongs to the file that they point to. The folder's owner must be
/// the effective user, the owner of the library's file, or root. In a world-writable folder such as `/tmp`, the owner
/// must be the effective user.
/// - Source: formats/sqlite-library.md, "The sidecar folder"
package struct SidecarFolder: Sendable {
  /// The folder.
  package let root: OpenFolder
  private let parent: OpenFolder
  private let name: String
  /// Whether this object created the folder.
  package let isNew: Bool

  /// The file name of the state store.
  package static let stateName = "state.sqlite"

  /// Opens a library's folder.
  /// - Returns: nil if it does not exist, or if this user may not read it.
  /// - Throws: `RunFailure` with status 4 if the folder, or anything that FleetKit uses in it, is a symbolic link, has
  ///   the wrong file type, or belongs to another user.
  package init?(of library: String) throws {
    let path = Sidecar.path(of: library)
    // If the parent folder is missing, the sidecar folder is missing, too.
    guard let (parent, name) = try? OpenFolder.containing(path),
      parent.entry(name) != .folder || parent.canRead(name),
      let root = try parent.folder(name, owners: Self.owners(of: library, in: parent))
    else { return nil }
    self.init(root, parent, name, isNew: false)
    try check()
  }

  /// Opens a library's folder, and creates the folder if it does not exist.
  /// - Throws: the same errors as `init(of:)`, and `RunFailure` with status 2 if the folder cannot be created.
  package init(making library: String) throws {
    let path = Sidecar.path(of: library)
    let (parent, name) = try OpenFolder.containing(path)
    let isNew = parent.entry(name) == .nothing
    do {
      let root = try parent.makeFolder(name, owners: Self.owners(of: library, in: parent))
      self.init(root, parent, name, isNew: isNew)
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(.failed, failure.message, advice: "Changing a library needs space for its backups next to it.")
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

  /// Refuses the folder if anything in it cannot be trusted, whether this run needs it or not.
  private func check() throws {
    for part in Sidecar.Part.allCases { try root.check(part.rawValue, isFolder: true) }
    for name in ["", "-journal", "-wal", "-shm"].map({ Self.stateName + $0 }) + ["lock", "sync.lock"] {
      try root.check(name, isFolder: false)
    }
  }

  /// Opens a subfolder.
  /// - Returns: nil if it does not exist.
  /// - Throws: `RunFailure` with status 4 if the subfolder is a symbolic link, is not a folder, or belongs to another
  ///   user.
  package func part(_ part: Sidecar.Part) throws -> OpenFolder? { try root.folder(part.rawValue) }

  /// Returns the store's path for SQLite. The path contains no symbolic links, so that SQLite can be configured not to
  /// follow any.
  /// - Returns: nil if the store does not exist.
  /// - Throws: `RunFailure` with status 4 if the folder was replaced after it was opened.
  package func state() throws -> String? {
    root.entry(Self.stateName) == .nothing ? nil : try statePath()
  }

  /// Returns the store's path, whether the store exists or not.
  package func statePath() throws -> String {
    let real = realpath(root.path, nil)
    defer { free(real) }
    guard let real, case let path = String(cString: real), root.isAt(path) else {
      throw RunFailure(
        .refused, "use '\(root.path)': another folder replaced it", advice: "Run it again. Nothing was changed.")
    }
    return path + "/" + Self.stateName
  }

  /// Copies the store and its journal to another library's folder.
  /// - Throws: `RunFailure` with status 2 if the store cannot be read or the copy cannot be written.
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

  /// Removes the folder and its contents.
  func remove() { parent.remove(name) }
}

/// The id that distinguishes a library from all others. Notes that are exported from the library contain this id.
///
/// If a library has a sidecar, its id is stored there and is kept when both are copied. Otherwise the id is derived
/// from the file's device number, inode number and path. Reading does not create ids.
/// - Source: formats/sqlite-library.md, "The sidecar folder"
package enum LibraryID {
  /// Returns a library's id of 16 hexadecimal digits; nil if the file does not exist.
  package static func of(_ path: String) -> String? { inSidecar(path) ?? file(path) }

  /// Whether an id belongs to a library. The id that the library had before its sidecar was created also counts.
  /// - Parameter own: the id in the sidecar.
  package static func isOf(_ path: String, own: String?, _ id: String) -> Bool { id == own || id == file(path) }

  /// Returns the id in a library's sidecar; nil if the id is missing or cannot be read.
  private static func inSidecar(_ path: String) -> String? {
    // A store that an older version wrote has no id.
    (try? StateStore.reading(of: path)).flatMap { try? read($0) }
  }

  /// Returns the id in a store; nil if the store was written before ids were introduced.
  static func read(_ store: SQLiteConnection) throws(SQLiteError) -> String? {
    try store.rows("SELECT id FROM library_id").first?[0]
  }

  private static func file(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let text = Array("\(status.st_dev) \(status.st_ino) \(String(cString: real))".utf8)
    return Digest.hex(Array(Digest.sha256(text.span).prefix(8)))
  }
}
