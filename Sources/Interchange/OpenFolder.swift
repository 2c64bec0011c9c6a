import Foundation

/// An open folder. Its entries are accessed by name from its descriptor, and links among them are not followed.
///
/// If the folder, or an entry that was opened, is replaced by a link, this has no effect, because every call is
/// relative to the descriptor. Files and folders that another user could have prepared are refused; see `Owners`.
/// - Source: POSIX, `openat`; formats/sqlite-library.md, "The sidecar folder"
package final class OpenFolder: Sendable {
  /// The path that the folder was opened under, for messages and for libraries that only accept paths.
  package let path: String
  /// The descriptor, which is open for reading until this object is released.
  package let descriptor: Int32
  private let owners: Owners

  /// The users who may own a folder and the files in it.
  package enum Owners: Sendable, Equatable {
    /// Any user is allowed: the folder was named on the command line, so its owner does not matter.
    case anyone
    /// Only these users are allowed.
    case users(Set<uid_t>)

    /// The effective user only.
    package static var effectiveUser: Owners { .users([geteuid()]) }

    func accept(_ user: uid_t) -> Bool {
      switch self {
      case .anyone: true
      case .users(let users): users.contains(user)
      }
    }
  }

  /// The kind of an entry; a link is not followed.
  package enum Entry: Sendable { case nothing, file, folder, link, other }

  private init(descriptor: Int32, path: String, owners: Owners) {
    self.descriptor = descriptor
    self.path = path
    self.owners = owners
  }

  deinit { close(descriptor) }

  // MARK: Opening

  /// Opens a folder that the user named. Links in the path are followed.
  /// - Throws: `RunFailure` with status 2 if the folder does not exist or cannot be read.
  package convenience init(named path: String) throws {
    let opened = path.isEmpty ? "." : path
    var descriptor = Foundation.open(opened, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    #if os(Linux)
      // In such a folder, files can be made but not listed. Without O_PATH, which only Linux has, the folder is
      // refused.
      if descriptor < 0, errno == EACCES {
        descriptor = Foundation.open(opened, 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
      }
    #endif
    guard descriptor >= 0 else { throw RunFailure(.failed, "open the folder '\(path)': \(SystemError.last)") }
    self.init(descriptor: descriptor, path: path, owners: .anyone)
  }

  /// Opens the folder that contains a path, or would contain it. Links in the path are followed.
  /// - Returns: The folder, and the name of `path` in it.
  /// - Throws: `RunFailure` with status 2 if the folder does not exist or cannot be read.
  package static func containing(_ path: String) throws -> (folder: OpenFolder, name: String) {
    var path = path.utf8[...]
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { path[path.index(after: $0)...] } ?? path
    // The current folder has an empty path, so that paths in messages are as the user wrote them.
    let folder = slash.map { $0 == path.startIndex ? path[...$0] : path[..<$0] } ?? path[..<path.startIndex]
    return (try OpenFolder(named: String(decoding: folder, as: UTF8.self)), String(decoding: name, as: UTF8.self))
  }

  /// Opens a folder in this one.
  /// - Parameter owners: the users who may own the opened folder; nil for the owners of this folder.
  /// - Returns: Nil if no entry has that name.
  /// - Throws: `RunFailure` with status 4 if the entry is a link, is not a folder, or belongs to another user; 2 if the
  ///   folder cannot be read.
  package func folder(_ name: String, owners: Owners? = nil) throws -> OpenFolder? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    guard let found = try open(name, S_IFDIR, owners ?? self.owners, { openat(descriptor, name, flags) }) else {
      return nil
    }
    return OpenFolder(descriptor: found, path: path(name), owners: owners ?? self.owners)
  }

  /// Opens a folder in this one. Makes the folder first if no entry has that name.
  /// - Throws: as `folder`; status 2 if the folder cannot be made.
  package func makeFolder(_ name: String, mode: mode_t = 0o700, owners: Owners? = nil) throws -> OpenFolder {
    if mkdirat(descriptor, name, mode) != 0, errno != EEXIST {
      throw RunFailure(.failed, "make the folder '\(path(name))': \(SystemError.last)")
    }
    guard let folder = try folder(name, owners: owners) else {
      throw RunFailure(.failed, "make the folder '\(path(name))': it was removed at the same time")
    }
    return folder
  }

  /// Makes a folder in this one under an unused name.
  /// - Returns: Nil if another process removed the folder before it could be opened.
  /// - Throws: as `makeFolder`; status 2 if an entry has that name.
  package func newFolder(_ name: String, mode: mode_t, owners: Owners) throws -> OpenFolder? {
    guard mkdirat(descriptor, name, mode) == 0 else {
      throw RunFailure(.failed, "make the folder '\(path(name))': \(SystemError.last)")
    }
    return try folder(name, owners: owners)
  }

  /// Opens a regular file in this folder.
  /// - Parameter flags: the flags for `open`; `O_CREAT` makes the file with `mode`.
  /// - Returns: The file's descriptor, which the caller closes; nil if no entry has that name.
  /// - Throws: `RunFailure` with status 4 if the entry is a link, is not a regular file, or belongs to another user; 2
  ///   if the file cannot be opened.
  package func file(_ name: String, _ flags: Int32, mode: mode_t = 0o600) throws -> Int32? {
    // Without O_NONBLOCK, opening a pipe with that name would wait for its other end.
    let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return try open(name, S_IFREG, owners) { openat(descriptor, name, flags, mode) }
  }

  private func open(_ name: String, _ kind: mode_t, _ owners: Owners, _ call: () -> Int32) throws -> Int32? {
    let found = call()
    if found < 0 {
      let error = errno
      if error == ENOENT { return nil }
      try refuse(name, kind)
      errno = error
      throw RunFailure(.failed, "open '\(path(name))': \(SystemError.last)")
    }
    var status = stat()
    guard fstat(found, &status) == 0, status.st_mode & S_IFMT == kind, owners.accept(status.st_uid) else {
      close(found)
      try refuse(name, kind, status, owners)
      return nil
    }
    return found
  }

  /// Refuses an entry if it is a link, has another kind, or belongs to another user. Opens nothing.
  /// - Throws: `RunFailure` with status 4.
  package func check(_ name: String, isFolder: Bool) throws { try refuse(name, isFolder ? S_IFDIR : S_IFREG) }

  private func refuse(_ name: String, _ kind: mode_t) throws {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    try refuse(name, kind, status, owners)
  }

  private func refuse(_ name: String, _ kind: mode_t, _ status: stat, _ owners: Owners) throws {
    func refusal(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.refused, "use '\(path(name))': \(why)", advice: advice)
    }
    switch status.st_mode & S_IFMT {
    case kind: break
    case S_IFLNK:
      throw refusal(
        "it is a symbolic link, and links are not followed here",
        "Remove the link, or replace it with what it points to. Nothing was changed.")
    default:
      throw refusal(
        kind == S_IFDIR ? "it is not a folder" : "it is not a regular file", "Remove it. Nothing was changed.")
    }
    guard owners.accept(status.st_uid) else {
      throw refusal(
        "it belongs to another user (uid \(status.st_uid))",
        "Check who created it, then change its owner or remove it. Nothing was changed.")
    }
  }

  // MARK: Entries

  /// Returns the path of an entry.
  package func path(_ name: String) -> String { path.isEmpty || path == "/" ? path + name : path + "/" + name }

  /// Returns the kind of an entry of this folder.
  package func entry(_ name: String) -> Entry {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .nothing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    case S_IFLNK: return .link
    default: return .other
    }
  }

  /// Whether the user may read a folder in this one.
  package func canRead(_ name: String) -> Bool { faccessat(descriptor, name, R_OK | X_OK, AT_EACCESS) == 0 }

  /// The names in this folder, in no particular order. Names that are not UTF-8 are left out.
  package var names: [String] {
    Self.names(descriptor).compactMap {
      String(validating: $0.dropLast().lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  private static func names(_ folder: Int32) -> [[CChar]] {
    // A separate descriptor, because listing moves its position.
    let own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return [] }
    guard let stream = fdopendir(own) else {
      close(own)
      return []
    }
    defer { closedir(stream) }
    var names: [[CChar]] = []
    while let entry = readdir(stream) {
      // The name is an array of fixed size in C and a tuple in Swift.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        Array($0.bindMemory(to: CChar.self).prefix { $0 != 0 }) + [0]
      }
      if name != [46, 0], name != [46, 46, 0] { names.append(name) }
    }
    return names
  }

  /// Removes a file, a link, or a folder with everything in it. Links are removed and never followed.
  /// - Returns: Whether no entry has that name any more.
  @discardableResult
  package func remove(_ name: String) -> Bool { Self.remove(Array(name.utf8CString), in: descriptor, depth: 0) }

  /// The maximum depth of nested folders that are removed. Each level keeps a descriptor open.
  private static let greatestDepth = 200

  private static func remove(_ name: [CChar], in folder: Int32, depth: Int) -> Bool {
    if unlinkat(folder, name, 0) == 0 || errno == ENOENT { return true }
    guard depth < greatestDepth else { return false }
    let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard inner >= 0 else { return false }
    defer { close(inner) }
    for entry in names(inner) { _ = remove(entry, in: inner, depth: depth + 1) }
    return unlinkat(folder, name, AT_REMOVEDIR) == 0
  }

  /// Removes everything in this folder.
  package func removeAll() {
    for name in Self.names(descriptor) { _ = Self.remove(name, in: descriptor, depth: 0) }
  }

  /// Removes a folder if it is empty.
  package func removeIfEmpty(_ name: String) { _ = unlinkat(descriptor, name, AT_REMOVEDIR) }

  /// Moves an entry, and replaces an existing file with the new name. If an entry is a link, the link itself is moved
  /// or replaced.
  /// - Returns: Whether the entry was moved; if not, `errno` gives the reason.
  package func move(_ name: String, to folder: OpenFolder, as newName: String) -> Bool {
    renameat(descriptor, name, folder.descriptor, newName) == 0
  }

  /// Gives a file a second name unless another entry already has that name.
  /// - Returns: Whether the name was given; if not, `errno` gives the reason.
  package func link(_ name: String, as newName: String) -> Bool {
    linkat(descriptor, name, descriptor, newName, 0) == 0
  }

  /// Syncs the folder's names to the disk.
  /// - Returns: Whether the names were synced.
  @discardableResult
  package func sync() -> Bool { fsync(descriptor) == 0 }

  // MARK: The folder itself

  /// Acquires the folder's lock, which ends with this object or its process.
  /// - Parameter tries: the number of attempts, 50 ms apart. A process that the last owner of the lock is just starting
  ///   has a copy of the lock until that process runs its own program.
  /// - Returns: False if another process has the lock.
  package func lock(tries: Int = 1) -> Bool {
    for attempt in 0..<tries {
      if attempt > 0 { usleep(50_000) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    }
    return false
  }

  /// Makes the folder accessible to its owner only, if the owner is the effective user.
  package func makePrivate() {
    if status.st_uid == geteuid() { fchmod(descriptor, 0o700) }
  }

  /// Whether other users may put files into the folder, as they may into `/tmp`.
  package var isShared: Bool { status.st_mode & mode_t(S_IWOTH) != 0 }

  /// Whether a path refers to this folder, and not to one that replaced it.
  package func isAt(_ path: String) -> Bool {
    var other = stat()
    let own = status
    return lstat(path, &other) == 0 && other.st_dev == own.st_dev && other.st_ino == own.st_ino
  }

  private var status: stat {
    var status = stat()
    fstat(descriptor, &status)
    return status
  }
}
