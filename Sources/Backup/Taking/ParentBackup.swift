import Content
import ContentPack
import Foundation
import Interchange

/// The reason why a backup could not be based on the one before it.
public struct BrokenChain: Sendable, Hashable {
  /// The path of the damaged, exchanged or missing file.
  public let path: String
  /// What is wrong, as a full sentence that names the file.
  public let reason: String
}

/// The backup on which an incremental one is based.
struct ParentBackup {
  /// The argument of the user: a backup, or a folder of them.
  let wish: String
  /// The path of the backup; nil if the folder has none of this library, or none that can be used as a parent.
  let path: String?
  /// Why the newest one of the folder cannot be used as a parent; nil if it can, as far as its head shows.
  let broken: BrokenChain?
  /// Why a full backup is made although nothing is wrong; nil if an incremental one can be tried.
  let fullBecause: String?

  /// Finds the parent; in a folder, the newest backup of this library.
  /// - Parameters:
  ///   - origin: the identity of the library among those of its name; a backup without one counts as this library's.
  ///   - target: the target of the new backup; a folder that this backup makes has no backups yet.
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
        throw RunFailure(.failed, "read '\(wish)': \(SystemError.last)", advice: "--since names the backup before.")
      }
      return (wish, nil, nil)
    }
    guard access(wish, F_OK) == 0 else {
      throw RunFailure(
        .failed, "find the backup before in '\(wish)': there is no such folder",
        advice: "Is the disk mounted? The first backup needs no --since.")
    }
    let folder = try BackupFolder(wish, library: name)
    // The newest is found by time, because the list is ordered by library first.
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
      return (nil, nil, "'\(newest.file.path)' is a folder, which has no checksum of its own")
    }
    return (newest.file.path, nil, nil)
  }

  /// Returns the newest file that is named as a backup of this library, is newer than another one, and cannot be read.
  ///
  /// The name provides what cannot be read from the file.
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

  /// Finds the file that prevents a chain from being put together.
  /// - Returns: Nil if every file of it is sound.
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

  /// A parent that was put together, which proves that the chain is complete.
  struct Opened {
    /// The library at the time of the parent.
    let snapshot: AssembledSnapshot
    /// The reference to the parent in the new backup.
    let parent: BackupInfo.Parent
    let path: String

    /// Puts the parent together in an empty folder.
    init(_ path: String, into folder: String, onProgress: (@Sendable (String, Int, Int) -> Void)?) throws {
      self.path = path
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw RunFailure(
          .refused, "back up the changes since '\(path)': it is a folder, which has no checksum of its own",
          advice: "Name a backup that is one file, or leave --since out.")
      }
      let hash = try BackupInfo.sha256(ofFile: path)
      snapshot = try SnapshotAssembly(path, parts: []).assemble(into: folder, onProgress: onProgress)
      parent = BackupInfo.Parent(
        file: (path as NSString).lastPathComponent, sha256: hash, takenAt: snapshot.info.takenAt)
    }

    /// Refuses a backup of another library. A library that was renamed or moved counts as the same if at least half of
    /// the backup's records are still in it.
    func belongs(to name: String, origin: String?, index: String) throws {
      let isOrigins = snapshot.info.origin.map { $0 == origin } ?? true
      guard !isOrigins || !snapshot.info.name.utf8.elementsEqual(name.utf8) else { return }
      let before = try keys(snapshot.index)
      let shared = before.intersection(try keys(index)).count
      guard before.isEmpty || shared * 2 < before.count else { return }
      throw RunFailure(
        .refused,
        "back up the changes of '\(name)' since '\(path)': that is a backup of '\(snapshot.info.name)', and \(shared) of "
          + "its \(before.count) records are in this library",
        advice: "Leave --since out for a full backup.")
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
