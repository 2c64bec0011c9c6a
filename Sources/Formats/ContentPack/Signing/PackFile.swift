import ArchiveIO
import Foundation
import Interchange
import Minisign

/// A pack as one file: what its bytes are, and what it says about itself.
public struct PackFile: Sendable {
  /// What its bytes are.
  public let fingerprint: FileFingerprint
  /// What `data/pack.json` says.
  public let info: PackInfo

  /// The file as the user named it.
  public var path: String { fingerprint.path }

  /// What other versions call it by; nil for a pack without a version, such as a backup.
  public var identity: PackPrevious? {
    info.version.map { PackPrevious(version: $0, sha256: fingerprint.sha256) }
  }

  /// Reads a file once, and from its beginning as far as `data/pack.json`.
  /// - Throws: `RunFailure`: 64 when it is no file, 2 when it cannot be read or says nothing about itself, 5 when it is
  ///   damaged or was changed meanwhile, 6 when it asks for a newer reader.
  public init(_ path: String, onProgress: ((Int, Int?) -> Void)? = nil) throws {
    try self.init(FileFingerprint(path, onProgress: onProgress))
  }

  /// Reads what a file says about itself whose bytes are known already.
  /// - Throws: as `init(_:onProgress:)`.
  public init(_ fingerprint: FileFingerprint) throws {
    guard let info = try Self.info(of: fingerprint.path) else {
      throw RunFailure(
        .failed, "read '\(fingerprint.path)': it is no content pack: it is a backup, or has no \(PackInfo.path)",
        advice: "Packs are made with 'fleetkit pack build'; plain minisign signs any other file.")
    }
    try fingerprint.requireUnchanged()
    self.fingerprint = fingerprint
    self.info = info
  }

  /// A longer `data/pack.json` is refused: 100 000 items take a quarter of this.
  private static let longestInfo = 128 << 20

  /// What `data/pack.json` of a pack says; nil when there is none, or when it describes a backup, which has no version.
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
