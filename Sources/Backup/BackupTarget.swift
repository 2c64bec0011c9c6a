import ArchiveIO
import Content
import Foundation
import Interchange

/// The target file of a backup.
struct BackupTarget {
  /// The target's path.
  let path: String
  /// The kind of archive.
  let kind: ArchiveKind

  /// Determines the target.
  /// - Parameters:
  ///   - wish: a file with a known extension, or a folder, in which the backup gets the name
  ///     `<name>-20261121T231800Z.fleetpack`.
  ///   - name: the name of the library.
  /// - Throws: `RunFailure`: 64 if the extension gives no kind of archive, 4 if the file exists.
  init(_ wish: String, name: String, time: Timestamp, overwrites: Bool) throws {
    guard Self.isFolder(wish) else {
      guard let kind = ArchiveKind.named(wish), kind != .folder else {
        throw RunFailure(
          .usage, "back up to '\(wish)': the name does not give the archive type",
          advice: "End the name in .fleetpack, .zip or .tar.gz, or in / for a folder of backups.")
      }
      if !overwrites, access(wish, F_OK) == 0 {
        throw RunFailure(
          .refused, "write '\(wish)': a file with that name already exists",
          advice: "Choose another name, name a folder, or add --overwrite.")
      }
      path = wish
      self.kind = kind
      return
    }
    kind = .fleetpack
    let stem = (wish.hasSuffix("/") ? wish : wish + "/") + "\(name)-\(Self.stamp(time))"
    var number = 1
    while access(Self.path(stem, number), F_OK) == 0 { number += 1 }
    path = Self.path(stem, number)
  }

  /// Formats a time for names of backups: `20261121T231800Z` is 2026-11-21T23:18:00Z without the characters that file
  /// names should not have.
  static func stamp(_ time: Timestamp) -> String { time.wholeSeconds.filter { $0 != "-" && $0 != ":" } }

  /// Whether a part of a name is a time in the format of `stamp`.
  static func isStamp(_ text: Substring) -> Bool {
    text.utf8.count == 16
      && text.utf8.enumerated().allSatisfy { index, byte in
        switch index {
        case 8: byte == UInt8(ascii: "T")
        case 15: byte == UInt8(ascii: "Z")
        default: byte >= 0x30 && byte <= 0x39
        }
      }
  }

  /// Checks that a folder of backups exists or can be made. Its parent folder must exist, because if a disk is not
  /// mounted, the folders would otherwise be made on another disk.
  /// - Returns: Whether the folder must be made.
  /// - Throws: `RunFailure` with status 2.
  static func lacksFolder(_ wish: String) throws -> Bool {
    guard wish.hasSuffix("/"), access(wish, F_OK) != 0 else { return false }
    let above = URL(fileURLWithPath: wish).deletingLastPathComponent().path
    guard access(above, F_OK) == 0 else {
      throw RunFailure(
        .failed, "make the folder '\(wish)': the folder '\(above)' does not exist",
        advice: "Is the disk mounted? FleetKit creates only the last folder.")
    }
    return true
  }

  /// Makes the target's folder if it is missing.
  static func makeFolder(_ wish: String) throws {
    guard try lacksFolder(wish) else { return }
    guard mkdir(wish, 0o700) == 0 || errno == EEXIST else {
      throw RunFailure(.failed, "make the folder '\(wish)': \(SystemError.last)")
    }
  }

  /// Refuses to overwrite a backup that the new one needs, because overwriting it would destroy the new backup's chain.
  /// - Parameter chain: the files that the new backup needs to be restored, including links to these files.
  /// - Throws: `RunFailure` with status 4.
  func refuse(_ chain: [String]) throws {
    guard let mine = Self.file(path) else { return }
    for parent in chain where Self.file(parent) == mine {
      throw RunFailure(
        .refused, "write '\(path)': the new backup would contain the changes since '\(parent)', which is the same file",
        advice: "Choose another name, or, for a full backup, remove --since.")
    }
  }

  /// Returns the identity of a file, independent of its name; nil if the file does not exist.
  static func file(_ path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : nil
  }

  /// Returns the path of a backup. The number of a later backup follows a `_`, which sorts after the `.` in the first
  /// backup's name, so that names are in the order of times.
  private static func path(_ stem: String, _ number: Int) -> String {
    number == 1 ? stem + ".fleetpack" : "\(stem)_\(number).fleetpack"
  }

  /// Whether a path means a folder: it is an existing folder, or ends in a slash.
  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return path.hasSuffix("/") || isThere && isFolder.boolValue
  }
}
