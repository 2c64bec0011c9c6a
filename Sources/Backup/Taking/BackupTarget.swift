import ArchiveIO
import Content
import Foundation
import Interchange

/// The file that a backup becomes.
struct BackupTarget {
  /// Its path.
  let path: String
  /// How it is packed.
  let kind: ArchiveKind

  /// Finds the name.
  /// - Parameters:
  ///   - wish: a file by its ending, or a folder, which gets `<name>-20261121T231800Z.fleetpack`.
  ///   - name: what the library is called.
  /// - Throws: `RunFailure`: 64 when the ending says no kind, 4 when the file is there.
  init(_ wish: String, name: String, time: Timestamp, overwrites: Bool) throws {
    guard Self.isFolder(wish) else {
      guard let kind = ArchiveKind.named(wish), kind != .folder else {
        throw RunFailure(
          .usage, "back up to '\(wish)': the name does not say how it is packed",
          advice: "End it in .fleetpack, .zip or .tar.gz, or in / for a folder of backups.")
      }
      if !overwrites, access(wish, F_OK) == 0 {
        throw RunFailure(
          .refused, "write '\(wish)': a file of that name is there already",
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

  /// A time as names of backups have it: `20261121T231800Z`, 2026-11-21T23:18:00Z without what file names do not like.
  static func stamp(_ time: Timestamp) -> String { time.wholeSeconds.filter { $0 != "-" && $0 != ":" } }

  /// Whether a part of a name is a time as `stamp` writes it.
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

  /// Sees that a folder of backups is there or can be made: the one that it lies in must be there, because where a
  /// disk is not mounted its folders would otherwise fill another disk.
  /// - Returns: whether it must be made.
  /// - Throws: `RunFailure` with status 2.
  static func lacksFolder(_ wish: String) throws -> Bool {
    guard wish.hasSuffix("/"), access(wish, F_OK) != 0 else { return false }
    let above = URL(fileURLWithPath: wish).deletingLastPathComponent().path
    guard access(above, F_OK) == 0 else {
      throw RunFailure(
        .failed, "make the folder '\(wish)': there is no folder '\(above)'",
        advice: "Is the disk there? FleetKit makes only the last folder.")
    }
    return true
  }

  /// Makes the folder that a backup is named in, if it is not there.
  static func makeFolder(_ wish: String) throws {
    guard try lacksFolder(wish) else { return }
    guard mkdir(wish, 0o700) == 0 || errno == EEXIST else {
      throw RunFailure(.failed, "make the folder '\(wish)': \(SystemError.last)")
    }
  }

  /// Refuses to write over a backup that the new one needs: it would take its own chain away.
  /// - Parameter chain: the files that the new backup cannot be restored without; links to them count too.
  /// - Throws: `RunFailure` with status 4.
  func refuse(_ chain: [String]) throws {
    guard let mine = Self.file(path) else { return }
    for parent in chain where Self.file(parent) == mine {
      throw RunFailure(
        .refused, "write '\(path)': the new backup would hold what has changed since '\(parent)', which is that file",
        advice: "Choose another name, or leave --since out for a full backup.")
    }
  }

  /// What tells a file from all others, whatever name it was called by; nil when it is not there.
  static func file(_ path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : nil
  }

  /// `_` sorts after the `.` of the first one, so that names go by time.
  private static func path(_ stem: String, _ number: Int) -> String {
    number == 1 ? stem + ".fleetpack" : "\(stem)_\(number).fleetpack"
  }

  /// Whether a path means a folder: it is one, or ends like one.
  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return path.hasSuffix("/") || isThere && isFolder.boolValue
  }
}
