import ArchiveIO
import Content
import ContentPack
import Foundation
import Interchange

/// A backup on disk, as described by its head.
public struct BackupFile: Sendable, Hashable {
  /// The path of the backup.
  public let path: String
  /// The size of the backup in bytes; for a folder, the size of all its files.
  public let bytes: Int
  /// The backup's description.
  public let info: BackupInfo

  /// The file name without folders.
  public var name: String { (path as NSString).lastPathComponent }

  /// The identity of the backup. No two backups of a library have the same time.
  ///
  /// The hash of the whole file would be certain, but listing a folder would then take minutes. The hash is checked
  /// when a chain is assembled.
  var identity: String { "\(info.takenAt.milliseconds) \(info.origin ?? "") \(info.name)" }

  /// Whether this is a backup of the library with the given name and origin.
  func isOfLibrary(_ name: String, _ origin: String?) -> Bool {
    info.name.utf8.elementsEqual(name.utf8) && info.origin == origin
  }

  /// Reads only the description of a backup.
  /// - Throws: `RunFailure`: 2 if the file is not a backup or cannot be read, 5 if it is damaged, 6 if it is newer than
  ///   this version of FleetKit.
  public init(reading path: String) throws {
    let (head, kind) = try Self.head(of: path)
    self.path = path
    info = try BackupInfo(parsing: head.text.span, file: head.name)
    bytes = Self.size(of: path, kind)
  }

  /// Returns the content of `data/pack.json` in a pack with any profile, and the file's name in messages.
  /// - Throws: `RunFailure` with status 2 if the file does not exist.
  package static func head(of path: String) throws -> (head: (text: [UInt8], name: String), kind: ArchiveKind) {
    let reader = try ArchiveReader(path)
    // In an archive, this file comes first. The files of a folder come in the order of their names.
    while let entry = try reader.next() {
      if entry.path == BackupInfo.Path.info || entry.path.hasSuffix("/" + BackupInfo.Path.info) {
        return ((try reader.bytes(limit: largestHead), path + "/" + entry.path), reader.kind)
      }
      guard reader.kind == .folder || !entry.path.contains("data/") else { break }
    }
    throw RunFailure(
      .failed, "read '\(path)': this is not a backup: it has no \(BackupInfo.Path.info)",
      advice: "To make a backup, use 'fleetkit backup'.")
  }

  /// The maximum size of a head. No list of attachments needs more.
  private static let largestHead = 64 << 20

  private static func size(of path: String, _ kind: ArchiveKind) -> Int {
    guard kind == .folder else { return FileRead.size(of: path) ?? 0 }
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { sum, name in
      var isFolder: ObjCBool = false
      let file = path + "/" + name
      _ = FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
      return sum + (isFolder.boolValue ? 0 : FileRead.size(of: file) ?? 0)
    }
  }
}

/// The values in the name of a backup: `anyfleet-20261121T231800Z.fleetpack` is a backup of `anyfleet` at that time.
///
/// Only the backup's content is certain. The name is used for files that cannot be read.
package struct BackupName {
  /// The name of the library.
  package let library: String
  /// The time when the backup was taken, in whole seconds.
  package let takenAt: Timestamp

  private let file: String

  /// Whether the file is newer than a backup. If both are from the same second, the one whose name sorts later counts
  /// as newer.
  func isNewer(than backup: BackupFile) -> Bool {
    let (mine, theirs) = (takenAt.milliseconds / 1000, backup.info.takenAt.milliseconds / 1000)
    return mine != theirs ? mine > theirs : backup.name.utf8.lexicographicallyPrecedes(file.utf8)
  }

  /// Parses the name of a file; nil for names that `fleetkit backup` does not produce.
  package init?(_ path: String) {
    let name = (path as NSString).lastPathComponent
    // The name is read from the end, because the library's own name may contain a time.
    guard let dash = name.lastIndex(of: "-") else { return nil }
    let stamp = name[name.index(after: dash)...].prefix(16)
    guard BackupTarget.isStamp(stamp) else { return nil }
    let digits = Array(stamp)
    func part(_ range: Range<Int>) -> String { String(digits[range]) }
    let text =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    guard let time = Timestamp.parse(text)?.0 else { return nil }
    library = String(name[..<dash])
    takenAt = time
    file = name
  }
}
