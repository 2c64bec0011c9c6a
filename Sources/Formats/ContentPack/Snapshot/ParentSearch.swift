import ArchiveIO
import Content
import Foundation
import Interchange

/// Finds the parent of an incremental backup by the SHA-256 of the parent's file.
struct ParentSearch {
  /// The incremental backup.
  let child: String
  /// The parent as the child names it.
  let parent: BackupInfo.Parent

  /// Returns the path of the parent. It must be in the same folder, under its old name or any other name.
  /// - Throws: `RunFailure` with status 2 if the parent is missing, 5 if a different file has its name.
  func find(onProgress: (@Sendable (String, Int, Int) -> Void)?) throws -> String {
    let folder = Self.folder(of: child)
    var wrong: String?
    // The name is untrusted, so it must not be a path.
    if !parent.file.utf8.contains(UInt8(ascii: "/")), ArchiveKind.named(parent.file) != nil {
      let path = folder + "/" + parent.file
      if Self.isFile(path) {
        let hash = try Self.sha256(of: path, onProgress: onProgress)
        if hash == parent.sha256 { return path }
        wrong = hash
      }
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where !name.utf8.elementsEqual(parent.file.utf8) && !name.hasPrefix(".") {
      let path = folder + "/" + name
      guard ArchiveKind.named(name) != nil, Self.isFile(path) else { continue }
      if try Self.sha256(of: path, onProgress: onProgress) == parent.sha256 { return path }
    }
    if let wrong {
      throw RunFailure(
        .mismatch,
        "assemble '\(child)': '\(parent.file)' is not the backup that it is based on: its SHA-256 is \(wrong), "
          + "not \(parent.sha256)",
        advice: "Put back the original of that backup; without it, only older backups can be restored.")
    }
    throw RunFailure(
      .failed,
      "assemble '\(child)': it needs '\(parent.file)' (SHA-256 \(parent.sha256)), which is not in '\(folder)'",
      advice: "Put that backup in the same folder, under any name.")
  }

  /// Returns the folder that contains a path.
  static func folder(of path: String) -> String {
    let trimmed = path.utf8.last == UInt8(ascii: "/") ? String(path.utf8.dropLast()) ?? path : path
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == trimmed.utf8.startIndex ? "/" : String(trimmed.utf8[..<slash]) ?? "."
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns a file's SHA-256.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  static func sha256(of path: String, onProgress: (@Sendable (String, Int, Int) -> Void)? = nil) throws -> String {
    try FileDigest.sha256(of: path) { onProgress?("Checking the preceding backup", $0, $1) }
  }
}

extension BackupInfo {
  /// Returns the SHA-256 of a backup file, by which an incremental backup identifies its parent.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  public static func sha256(ofFile path: String) throws -> String { try ParentSearch.sha256(of: path) }
}
