import ArchiveIO
import ContentPack
import Foundation
import Interchange
import JSONText

/// Recognizes other files that a user might try to restore, before the restore begins.
package enum BackupRecognition {
  /// Reads a backup's head.
  /// - Throws: `RunFailure`: 64 with advice if the file is a library, a bundle, notes or a content pack; 2 if it cannot
  ///   be read, 5 if it is damaged, 6 if it is newer than this FleetKit.
  @discardableResult
  package static func require(_ path: String) throws -> BackupFile {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard isThere else { throw RunFailure(.failed, "restore '\(path)': the file does not exist") }
    if isFolder.boolValue {
      guard access(path + "/bagit.txt", F_OK) == 0 else {
        throw wrong(
          path, "this is a folder, not a backup",
          "Name a backup in it, or choose one with 'restore latest \(path)' or with --at and a day.")
      }
    } else {
      let head = try SourceProbe.head(of: Source(path), count: 64)
      if head.starts(with: Array("SQLite format 3\0".utf8)) {
        throw wrong(
          path, "this is a library, not a backup",
          "Copy the file, or import its records into another library with 'fleetkit import'.")
      }
      if ["age-encryption.org/", "-----BEGIN AGE"].contains(where: { head.starts(with: Array($0.utf8)) }) {
        throw wrong(path, "it is encrypted", "Decrypt it first: age -d -i KEY -o x.fleetpack '\(path)'.")
      }
      if isOpenPGP(head) {
        throw wrong(path, "it is encrypted", "Decrypt it first: gpg -o x.fleetpack --decrypt '\(path)'.")
      }
      guard !head.isEmpty else {
        throw RunFailure(
          .failed, "restore '\(path)': the file is empty (0 bytes)", advice: "Use another backup.")
      }
      guard ArchiveKind.of(head) != nil || mayBeContent(head, path) else {
        throw RunFailure(
          .failed, "restore '\(path)': this is not an archive, so it is not a backup", advice: "Use another backup.")
      }
      guard ArchiveKind.of(head) != nil else {
        throw wrong(path, "this is not a backup", "To import a bundle into a library, use 'fleetkit import'.")
      }
    }
    let (head, _) = try BackupFile.head(of: path)
    let root = head.text.withUnsafeBufferPointer { (try? JSONDocument(parsing: $0))?.root }
    if let root, root["format"]?.string == "fleetkit.pack", root["profile"]?.string != PackProfile.backup.rawValue {
      throw wrong(
        path, "this is a content pack, not a backup", "To import its content, use 'fleetkit import'.")
    }
    return try BackupFile(reading: path)
  }

  /// Whether a file begins like a gpg message: armoured, or with a session key that is encrypted for another key or
  /// with a passphrase.
  /// - Source: RFC 4880, sections 4.2, 5.1, 5.3 and 6.2
  private static func isOpenPGP(_ head: [UInt8]) -> Bool {
    if head.starts(with: Array("-----BEGIN PGP MESSAGE".utf8)) { return true }
    guard head.count > 3 else { return false }
    switch head[0] {
    // The length has one or two bytes, and the packet's version follows.
    case 0x8C, 0xC3: return head[2] == 4 || head[2] == 5
    case 0x84, 0xC1: return head[2] == 3
    case 0x85: return head[3] == 3
    default: return false
    }
  }

  /// Whether a file seems to be a bundle or a note, which can be imported.
  private static func mayBeContent(_ head: some Sequence<UInt8>, _ path: String) -> Bool {
    let first = head.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || path.hasSuffix(".md")
  }

  private static func wrong(_ path: String, _ why: String, _ advice: String) -> RunFailure {
    RunFailure(.usage, "restore '\(path)': \(why)", advice: advice)
  }
}
