import ArchiveIO
import ContentPack
import Foundation
import Interchange
import JSONText

/// Tells a backup from the other files that somebody might want to restore, before anything is done.
package enum BackupRecognition {
  /// Reads a backup's head.
  /// - Throws: `RunFailure`: 64 with what to do instead when it is a library, a bundle, notes or a pack of content; 2
  ///   when it cannot be read, 5 when it is damaged, 6 when it is newer.
  @discardableResult
  package static func require(_ path: String) throws -> BackupFile {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard isThere else { throw RunFailure(.failed, "restore '\(path)': there is no such file") }
    if isFolder.boolValue {
      guard access(path + "/bagit.txt", F_OK) == 0 else {
        throw wrong(path, "this is a folder, not a backup", "Name the backup in it; 'fleetkit backups' lists them.")
      }
    } else {
      let head = try SourceProbe.head(of: Source(path), count: 16)
      if head.starts(with: Array("SQLite format 3\0".utf8)) {
        throw wrong(
          path, "this is a library, not a backup",
          "Copy the file, or bring its records into another library with 'fleetkit import'.")
      }
      if head.starts(with: Array("age-encryption.org/".utf8)) {
        throw wrong(path, "it is encrypted", "Decrypt it first: age -d -i KEY -o x.fleetpack '\(path)'.")
      }
      guard ArchiveKind.of(head) != nil else {
        throw wrong(path, "this is no backup", "'fleetkit import' brings the records of bundles into a library.")
      }
    }
    let (head, _) = try BackupFile.head(of: path)
    let root = head.text.withUnsafeBufferPointer { (try? JSONDocument(parsing: $0))?.root }
    if let root, root["format"]?.string == "fleetkit.pack", root["profile"]?.string != PackProfile.backup.rawValue {
      throw wrong(
        path, "this is a pack of content, not a backup", "'fleetkit import' brings what is in it into a library.")
    }
    return try BackupFile(reading: path)
  }

  private static func wrong(_ path: String, _ why: String, _ advice: String) -> RunFailure {
    RunFailure(.usage, "restore '\(path)': \(why)", advice: advice)
  }
}
