import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// The backups in a folder, by library and time, with their dependencies. Only heads are read.
public struct BackupFolder: Sendable {
  /// A file that has the name of a backup but cannot be used as one.
  public struct Other: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The reason why the file cannot be used.
    public let reason: String
    /// The status of the failed attempt to read the file.
    public let status: ExitStatus
  }

  /// One backup in the folder.
  public struct Entry: Sendable, Hashable {
    /// The backup.
    public let file: BackupFile
    /// The number of backups needed to restore this one, including itself; 0 if one of them is missing.
    public let chain: Int
    /// The name of the backup's parent in this folder; nil for a full backup, or if the parent is missing.
    public let parent: String?

    /// The name of the missing file, which is the parent or an earlier ancestor; nil if none is missing.
    public let missing: String?
    /// The identity of the backup's parent; nil for a full backup.
    let parentIdentity: String?

    /// Whether a backup that this one needs is missing from the folder.
    public var isBroken: Bool { chain == 0 }
  }

  /// The folder.
  public let path: String
  /// The backups, by library, oldest first.
  public let entries: [Entry]
  /// Files that have the names of backups but cannot be used as such, by name.
  public let others: [Other]

  /// Reads the heads of the backups in a folder.
  /// - Parameter library: the library of the requested backups; nil for all.
  /// - Throws: `RunFailure` with status 2 if the folder cannot be read.
  public init(_ path: String, library: String? = nil) throws {
    self.path = path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RunFailure(.failed, "read '\(path)': the folder does not exist")
    }
    guard isFolder.boolValue else {
      throw RunFailure(
        .failed, "read '\(path)': this is a file, not a folder", advice: "To check one backup, use 'fleetkit verify'.")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw RunFailure(.failed, "read '\(path)': \(error.localizedDescription)")
    }
    var files: [BackupFile] = []
    var others: [Other] = []
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for name in sorted where !name.utf8.starts(with: ".".utf8) {
      try Interruption.check()
      let file = path.hasSuffix("/") ? path + name : path + "/" + name
      if let reason = Self.unfollowable(file) {
        others.append(Other(path: file, reason: "read '\(file)': \(reason)", status: .failed))
        continue
      }
      guard Self.mayBeBackup(file) else { continue }
      do {
        files.append(try BackupFile(reading: file))
      } catch let failure as RunFailure where failure.status != .interrupted {
        others.append(Other(path: file, reason: failure.message, status: failure.status))
      }
    }
    let parents = ParentIdentities(files)
    let chains = BackupChains(files.map { ($0.path, $0.identity, parents.of($0)) })
    let byPath = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    entries = files.map { file in
      let chain = chains.length(of: file.path)
      // A cycle, which occurs only in forged backups, has no last ancestor, so the file's own parent is named.
      let last = chains.ancestors(of: file.path).last.flatMap { byPath[$0] } ?? file
      return Entry(
        file: file, chain: chain, parent: chains.parent(of: file.path).map(Self.name),
        missing: chain == 0 ? last.info.parent?.file : nil, parentIdentity: parents.of(file))
    }.filter { entry in library.map { $0.utf8.elementsEqual(entry.file.info.name.utf8) } ?? true }
      .sorted(by: Self.precedes)
    self.others = others
  }

  private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

  private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
    let (mine, theirs) = (left.file.info, right.file.info)
    if !mine.name.utf8.elementsEqual(theirs.name.utf8) {
      return mine.name.utf8.lexicographicallyPrecedes(theirs.name.utf8)
    }
    if mine.origin != theirs.origin {
      return (mine.origin ?? "").utf8.lexicographicallyPrecedes((theirs.origin ?? "").utf8)
    }
    if mine.takenAt != theirs.takenAt { return mine.takenAt < theirs.takenAt }
    return left.file.path.utf8.lexicographicallyPrecedes(right.file.path.utf8)
  }

  /// Returns the reason why a link or file with the name of an archive cannot be read; nil if it can be read, or has
  /// another name.
  private static func unfollowable(_ path: String) -> String? {
    var status = stat()
    guard let kind = ArchiveKind.named(path), kind != .folder, stat(path, &status) != 0 else { return nil }
    return SystemError.last
  }

  /// Whether a path has the name of an archive, or is a folder that is a bag. Everything else is ignored.
  private static func mayBeBackup(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFDIR { return access(path + "/bagit.txt", F_OK) == 0 }
    guard status.st_mode & S_IFMT == S_IFREG, let kind = ArchiveKind.named(path) else { return false }
    return kind != .folder
  }
}

/// The dependencies between backups: their parents, their chains, and the backups that are missing from the chains.
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

/// Finds the parent of an incremental backup among other backups, by its time and position in the chain.
///
/// A parent is usually a backup of the same library. After `--since FILE`, the parent may date from before the library
/// was renamed or moved. In that case, any backup with that time is used, so that a backup that may be needed never
/// counts as unneeded.
struct ParentIdentities {
  private let byTime: [Int64: [BackupFile]]

  init(_ files: [BackupFile]) { byTime = Dictionary(grouping: files) { $0.info.takenAt.milliseconds } }

  /// Returns the identity of the parent, whether the parent exists or not; nil for a full backup.
  func of(_ child: BackupFile) -> String? {
    guard let parent = child.info.parent else { return nil }
    let files = (byTime[parent.takenAt.milliseconds] ?? []).filter { $0.info.depth == child.info.depth - 1 }
    let found =
      files.first { $0.isOfLibrary(child.info.name, child.info.origin) }
      ?? files.first { $0.name.utf8.elementsEqual(parent.file.utf8) } ?? files.first
    return found?.identity ?? "missing \(parent.sha256)"
  }
}

/// The backups in a folder by time, and the hashes of their files. Each file is read once.
///
/// Checking every chain in a folder reads each file once, however long the chains are.
package final class BackupCatalog {
  private let byTime: [Int64: [BackupFile]]
  private var hashes: [String: String?] = [:]

  /// Creates the catalog of a folder.
  package init(_ content: BackupFolder) {
    byTime = Dictionary(grouping: content.entries.map(\.file)) { $0.info.takenAt.milliseconds }
  }

  /// Returns the backup that another backup names as its parent.
  /// - Parameter hashing: whether the file's checksum is compared, and not only the time and the position in the chain.
  /// - Returns: Nil if the parent is missing or is a different backup.
  package func file(of parent: BackupInfo.Parent, hashing: Bool) -> BackupFile? {
    (byTime[parent.takenAt.milliseconds] ?? []).first { file in
      var status = stat()
      // A folder has no checksum for a child backup to refer to.
      guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      return !hashing || sha256(of: file.path) == parent.sha256
    }
  }

  private func sha256(of path: String) -> String? {
    if let known = hashes[path] { return known }
    let hash = try? FileDigest.sha256(of: path)
    hashes[path] = .some(hash)
    return hash
  }
}
