import ArchiveIO
import Foundation
import Interchange
import Minisign

/// A pack file: its checksums and its description.
public struct PackFile: Sendable {
  /// The file's checksums.
  public let fingerprint: FileFingerprint
  /// The content of `data/pack.json`.
  public let info: PackInfo

  /// The file's path as the user typed it.
  public var path: String { fingerprint.path }

  /// The version and checksum by which other versions refer to it; nil for a pack without a version, such as a backup.
  public var identity: PackPrevious? {
    info.version.map { PackPrevious(version: $0, sha256: fingerprint.sha256) }
  }

  /// Reads the whole file once, and then again up to `data/pack.json`.
  /// - Throws: `RunFailure`: 64 if the path is not a file, 2 if the file cannot be read or has no description, 5 if it
  ///   is damaged or was changed during reading, 6 if it requires a newer reader.
  public init(_ path: String, onProgress: ((Int, Int?) -> Void)? = nil) throws {
    try self.init(FileFingerprint(path, onProgress: onProgress))
  }

  /// Reads the description of a file whose checksums are already known.
  /// - Throws: the errors of `init(_:onProgress:)`.
  public init(_ fingerprint: FileFingerprint) throws {
    guard let info = try Self.info(of: fingerprint.path) else {
      throw RunFailure(
        .failed, "read '\(fingerprint.path)': not a content pack: it is a backup or has no \(PackInfo.path)",
        advice: "Build packs with 'fleetkit pack build'; for other files, use minisign.")
    }
    try fingerprint.requireUnchanged()
    self.fingerprint = fingerprint
    self.info = info
  }

  /// The maximum accepted size of `data/pack.json`. 100 000 items take a quarter of this size.
  private static let longestInfo = 128 << 20

  /// Returns the content of `data/pack.json`; nil if the file does not exist, or if it describes a backup, which has no
  /// version.
  public static func info(of path: String) throws -> PackInfo? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      try Interruption.check()
      guard entry.path.utf8.elementsEqual(PackInfo.path.utf8) else { continue }
      let text = try reader.bytes(limit: longestInfo)
      return PackHead.isBackup(text) ? nil : try PackInfo(parsing: text, file: path + "/" + entry.path)
    }
    return nil
  }
}
