import Content
import ContentPack
import Foundation
import Interchange

/// The reason why a backup could not be based on the previous one.
public struct BrokenChain: Sendable, Hashable {
  /// The path of the damaged, replaced or missing file.
  public let path: String
  /// What is wrong, as a full sentence that names the file.
  public let reason: String
}

/// The backup that an incremental one is based on.
struct ParentBackup {
  /// The user's argument: a backup, or a folder of backups.
  let wish: String
  /// The path of the backup; nil if the folder has no backup of this library, or none that can be used as a parent.
  let path: String?
  /// The reason why the newest backup in the folder cannot be used as a parent; nil if it can be used, according to its
  /// head.
  let broken: BrokenChain?
  /// The reason for a full backup although nothing is wrong; nil if an incremental one can be tried.
  let fullBecause: String?

  /// Finds the parent. In a folder, this is the newest backup of this library.
  /// - Parameters:
  ///   - origin: the identity of the library among libraries with the same name; a backup without an identity counts as
  ///     this library's.
  ///   - target: the target of the new backup; a folder that this backup creates has no backups yet.
  /// - Throws: `RunFailure` with status 2 if the file or folder does not exist.
  init(_ wish: String, name: String, origin: String?, target: String) throws {
    self.wish = wish
    (path, broken, fullBecause) = try Self.find(wish, name, origin, target)
  }

  private typealias Found = (path: String?, broken: BrokenChain?, fullBecause: String?)

  private static func find(_ wish: String, _ name: String, _ origin: String?, _ target: String) throws -> Found {
    let none = "there is no backup of '\(name)' in \(wish) yet"
    if access(wish, F_OK) != 0, target.hasSuffix("/"), isSame(wish, target) { return (nil, nil, none) }
    guard BackupTarget.isFolder(wish), access(wish + "/bagit.txt", F_OK) != 0 else {
      guard access(wish, R_OK) == 0 else {
        throw RunFailure(.failed, "read '\(wish)': \(SystemError.last)", advice: "Name a backup with --since.")
      }
      return (wish, nil, nil)
    }
    guard access(wish, F_OK) == 0 else {
      throw RunFailure(
        .failed, "find the previous backup in '\(wish)': the folder does not exist",
        advice: "Is the disk mounted? The first backup needs no --since.")
    }
    let folder = try BackupFolder(wish, library: name)
    // The newest backup is found by time, because the list is ordered by library first.
    let newest = folder.entries.filter { $0.file.info.origin.map { $0 == origin } ?? true }
      .max { $0.file.info.takenAt < $1.file.info.takenAt }
    if let unreadable = unreadable(in: folder, of: name, after: newest?.file) {
      return (nil, BrokenChain(path: unreadable.path, reason: unreadable.reason), nil)
    }
    guard let newest else { return (nil, nil, none) }
    if newest.isBroken {
      let missing = newest.missing.map { ($0 as NSString).lastPathComponent } ?? "a backup"
      let path = (wish.hasSuffix("/") ? wish : wish + "/") + missing
      let damage = folder.others.first { $0.path.utf8.elementsEqual(path.utf8) }?.reason
      let reason =
        "'\(newest.file.path)' cannot be restored: "
        + (damage.map { "it needs '\(missing)': \($0)" } ?? "'\(missing)', which it needs, is missing")
      return (nil, BrokenChain(path: path, reason: reason), nil)
    }
    if isFolder(newest.file.path) {
      return (nil, nil, "'\(newest.file.path)' is a folder, which has no checksum")
    }
    return (newest.file.path, nil, nil)
  }

  /// Returns the newest file that has the name of a backup of this library, is newer than another backup, and cannot be
  /// read.
  ///
  /// The name provides the data that cannot be read from the file.
  private static func unreadable(
    in folder: BackupFolder, of name: String, after newest: BackupFile?
  ) -> BackupFolder.Other? {
    folder.others.filter { other in
      guard other.status != .newer, let named = BackupName(other.path) else { return false }
      return named.library.utf8.elementsEqual(name.utf8) && newest.map(named.isNewer) ?? true
    }.max { $0.path < $1.path }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Finds the file that prevents a chain from being assembled.
  /// - Returns: Nil if every file of the chain is sound.
  /// - Throws: `RunFailure` if the user stops it.
  static func broken(
    _ path: String, onProgress: (@Sendable (String, Int, Int) -> Void)?
  ) throws -> BrokenChain? {
    let file: BackupFile
    do {
      file = try BackupFile(reading: path)
    } catch let failure as RunFailure where failure.status == .mismatch || failure.status == .failed {
      return BrokenChain(path: path, reason: failure.message)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
    let soundness = BackupSoundness(try BackupFolder(folder).entries.map(\.file), onProgress: onProgress)
    return try soundness.problem(of: file).map {
      BrokenChain(path: $0.culprit, reason: "'\(path)' cannot be the base of a backup: \($0.message)")
    }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    URL(fileURLWithPath: left).standardizedFileURL.path == URL(fileURLWithPath: right).standardizedFileURL.path
  }

  /// An assembled parent, which proves that the chain is complete.
  struct Opened {
    /// The library at the time of the parent.
    let snapshot: AssembledSnapshot
    /// The reference to the parent in the new backup.
    let parent: BackupInfo.Parent
    let path: String

    /// Assembles the parent in an empty folder.
    init(_ path: String, into folder: String, onProgress: (@Sendable (String, Int, Int) -> Void)?) throws {
      self.path = path
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw RunFailure(
          .refused, "back up the changes since '\(path)': it is a folder, which has no checksum",
          advice: "Name a backup that is one file, or remove --since.")
      }
      let hash = try BackupInfo.sha256(ofFile: path)
      snapshot = try SnapshotAssembly(path, parts: []).assemble(into: folder, onProgress: onProgress)
      parent = BackupInfo.Parent(
        file: (path as NSString).lastPathComponent, sha256: hash, takenAt: snapshot.info.takenAt)
    }

    /// Refuses a backup of another library. A library that was renamed or moved counts as the same library if it still
    /// contains at least half of the backup's records.
    func belongs(to name: String, origin: String?, index: String) throws {
      let isOrigins = snapshot.info.origin.map { $0 == origin } ?? true
      guard !isOrigins || !snapshot.info.name.utf8.elementsEqual(name.utf8) else { return }
      let before = try keys(snapshot.index)
      let shared = before.intersection(try keys(index)).count
      guard before.isEmpty || shared * 2 < before.count else { return }
      throw RunFailure(
        .refused,
        "back up the changes of '\(name)' since '\(path)': it is a backup of '\(snapshot.info.name)', and \(shared) of "
          + "its \(before.count) records are in this library",
        advice: "For a full backup, remove --since.")
    }

    private func keys(_ index: String) throws -> Set<String> {
      let file = try IndexFile(index, name: index)
      var keys: Set<String> = []
      do throws(IndexFile.Malformed) {
        while let entry = try file.next() { keys.insert("\(entry.kind) \(entry.id)") }
      } catch {
        throw RunFailure(.mismatch, "read the index of '\(path)', line \(error.line): \(error.message)")
      }
      return keys
    }
  }
}
