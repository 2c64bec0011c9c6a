import ArchiveIO
import Content
import ContentPack
import Foundation
import Interchange

/// A backup on the disk, as its head describes it.
public struct BackupFile: Sendable, Hashable {
  /// Where it is.
  public let path: String
  /// Its bytes; of a folder, those of all its files.
  public let bytes: Int
  /// What it says about itself.
  public let info: BackupInfo

  /// Its name without folders.
  public var name: String { (path as NSString).lastPathComponent }

  /// What tells it from the other backups: a library has one backup of a moment.
  ///
  /// The hash of the whole file would say it for certain, and reading every file to list a folder would take minutes.
  /// Whoever puts a chain together checks the hash.
  var identity: String { "\(info.takenAt.milliseconds) \(info.origin ?? "") \(info.name)" }

  /// Whether it is a backup of the same library as another one.
  func isOfLibrary(_ name: String, _ origin: String?) -> Bool {
    info.name.utf8.elementsEqual(name.utf8) && info.origin == origin
  }

  /// Reads what a backup says about itself, and nothing behind that.
  /// - Throws: `RunFailure`: 2 when it is no backup or cannot be read, 5 when it is damaged, 6 when it is newer than
  ///   this FleetKit.
  public init(reading path: String) throws {
    let (head, kind) = try Self.head(of: path)
    self.path = path
    info = try head.text.withUnsafeBufferPointer { try BackupInfo(parsing: $0, file: head.name) }
    bytes = Self.size(of: path, kind)
  }

  /// The text of `data/pack.json` of a pack of any profile, and what messages call it.
  /// - Throws: `RunFailure` with status 2 when there is none.
  package static func head(of path: String) throws -> (head: (text: [UInt8], name: String), kind: ArchiveKind) {
    let reader = try ArchiveReader(path)
    // It comes first in an archive; in a folder it comes where its name sorts.
    while let entry = try reader.next() {
      if entry.path == BackupInfo.Path.info || entry.path.hasSuffix("/" + BackupInfo.Path.info) {
        return ((try reader.bytes(limit: largestHead), path + "/" + entry.path), reader.kind)
      }
      guard reader.kind == .folder || !entry.path.contains("data/") else { break }
    }
    throw RunFailure(
      .failed, "read '\(path)': this is no backup: it has no \(BackupInfo.Path.info)",
      advice: "'fleetkit backup' makes one.")
  }

  /// More than this no list of attachments needs.
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
