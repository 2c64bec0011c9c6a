import ArchiveIO
import Content
import Foundation
import Interchange

/// Finds the file of an incremental backup's parent by the SHA-256 of the whole file.
struct ParentSearch {
  /// The incremental backup.
  let child: String
  /// The parent as the child names it.
  let parent: BackupInfo.Parent

  /// Returns the path of the parent: under its old name in the same folder, or under any other name there.
  /// - Throws: `RunFailure` with status 2 if it is missing, 5 if a different file has its name.
  func find(onProgress: (@Sendable (String, Int, Int) -> Void)?) throws -> String {
    let folder = Self.folder(of: child)
    var wrong: String?
    // The name is untrusted: it must be a name, not a path.
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
        "put together '\(child)': '\(parent.file)' is not the file that it was made after: its SHA-256 is \(wrong), "
          + "not \(parent.sha256)",
        advice: "Bring back the original of that backup; without it only older ones can be restored.")
    }
    throw RunFailure(
      .failed,
      "put together '\(child)': it needs '\(parent.file)' (SHA-256 \(parent.sha256)), which is not in '\(folder)'",
      advice: "Put that backup in the same folder, under any name.")
  }

  /// The folder that contains a path.
  static func folder(of path: String) -> String {
    let trimmed = path.utf8.last == UInt8(ascii: "/") ? String(path.utf8.dropLast()) ?? path : path
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == trimmed.utf8.startIndex ? "/" : String(trimmed.utf8[..<slash]) ?? "."
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the SHA-256 of a whole file.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  static func sha256(of path: String, onProgress: (@Sendable (String, Int, Int) -> Void)? = nil) throws -> String {
    try FileDigest.sha256(of: path) { onProgress?("Checking the backup before", $0, $1) }
  }
}

extension BackupInfo {
  /// Returns the SHA-256 of a backup's whole file, by which an incremental backup names it as its parent.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  public static func sha256(ofFile path: String) throws -> String { try ParentSearch.sha256(of: path) }
}
