import Content
import ContentPack
import Foundation
import Interchange

/// The backup that an incremental one is made after.
struct ParentBackup {
  /// What the user named: a backup, or a folder of them.
  let wish: String
  /// The backup; nil when the folder has none of this library.
  let path: String?

  /// Finds it: the newest one of this library, where a folder was named.
  /// - Parameters:
  ///   - origin: which library of that name; a backup that does not say it counts as one of this library.
  ///   - target: where the new backup goes; a folder that it makes itself has none yet.
  /// - Throws: `RunFailure` with status 2 when there is no such file or folder.
  init(_ wish: String, name: String, origin: String?, target: String) throws {
    self.wish = wish
    if access(wish, F_OK) != 0, target.hasSuffix("/"), Self.isSame(wish, target) {
      path = nil
      return
    }
    guard BackupTarget.isFolder(wish), access(wish + "/bagit.txt", F_OK) != 0 else {
      guard access(wish, R_OK) == 0 else {
        throw RunFailure(.failed, "read '\(wish)': \(SystemError.last)", advice: "--since names the backup before.")
      }
      path = wish
      return
    }
    guard access(wish, F_OK) == 0 else {
      throw RunFailure(
        .failed, "look for the backup before in '\(wish)': there is no such folder",
        advice: "Is the disk there? The first backup needs no --since.")
    }
    // By time, because the list goes by library first.
    path = try BackupFolder(wish, library: name).entries.filter { entry in
      !entry.isBroken && (entry.file.info.origin.map { $0 == origin } ?? true)
    }.max { $0.file.info.takenAt < $1.file.info.takenAt }?.file.path
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    URL(fileURLWithPath: left).standardizedFileURL.path == URL(fileURLWithPath: right).standardizedFileURL.path
  }

  /// A parent, put together: that it can be proves that the chain is whole.
  struct Opened {
    /// The library as it was then.
    let snapshot: AssembledSnapshot
    /// How the new backup names it.
    let parent: BackupInfo.Parent
    let path: String

    /// Puts it together in an empty folder.
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

    /// Refuses a backup of another library. A library that was renamed or moved is the same: at least half of the
    /// records of the backup are still in it.
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
