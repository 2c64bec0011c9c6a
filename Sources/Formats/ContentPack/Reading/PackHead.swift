import ArchiveIO
import Diagnostics
import Foundation
import Interchange
import JSONText

/// What stands at the head of a pack: `data/pack.json`, read without unpacking the rest.
///
/// Nothing is held against a checksum or a signature: it is what the pack says.
public struct PackHead: Sendable {
  /// The pack as the user named it.
  public let path: String
  /// How it is packed.
  public let kind: ArchiveKind
  /// What it says; nil for a backup.
  public let info: PackInfo?
  /// What it says as a backup; nil for packs with content.
  public let backup: BackupInfo?
  /// How many bytes its file has; nil for a folder.
  public let bytes: Int?
  /// Whether a signature lies beside it.
  public let hasSignature: Bool

  /// A longer `data/pack.json` is refused: 100 000 items take a third of this.
  static let longest = 128 << 20

  /// Reads the head of a pack.
  /// - Throws: `RunFailure`: 2 when it is no pack or cannot be read, 5 when it is damaged, 6 when it asks for a newer
  ///   reader.
  public init(_ path: String) throws {
    self.path = path
    let text: [UInt8]?
    if PackFolder.isFolder(path) {
      kind = .folder
      bytes = nil
      text = try PackFolder.head(path, limit: Self.longest)
    } else {
      (kind, text) = try Self.text(path)
      var status = stat()
      bytes = stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
    guard let text else { throw Self.missing(path) }
    let file = Self.file(of: path)
    let isBackup = Self.isBackup(text)
    backup = isBackup ? try text.withUnsafeBufferPointer { try BackupInfo(parsing: $0, file: file) } : nil
    info = isBackup ? nil : try PackInfo(parsing: text, file: file)
    var name = path
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    hasSignature = access(name + ".minisig", F_OK) == 0
  }

  static func isBackup(_ text: [UInt8]) -> Bool {
    guard let profile = (try? JSONDocument(parsing: text))?.root["profile"]?.string else { return false }
    return profile == PackProfile.backup.rawValue
  }

  /// What messages call `data/pack.json`.
  static func file(of path: String) -> String { (path.hasSuffix("/") ? path : path + "/") + PackInfo.path }

  /// A pack has its description first; of an archive that somebody else has made, all names are looked at.
  private static func head(of reader: ArchiveReader) throws -> [UInt8]? {
    while let entry = try reader.next() {
      try Interruption.check()
      if entry.path.utf8.elementsEqual(PackInfo.path.utf8) { return try reader.bytes(limit: longest) }
    }
    return nil
  }

  /// Opens an archive and reads the description.
  private static func text(_ path: String) throws -> (ArchiveKind, [UInt8]?) {
    guard ArchiveKind.of(try SourceProbe.head(of: Source(path))) != nil else {
      throw RunFailure(
        .failed, "read '\(path)': it is no archive, so no content pack",
        advice: "Name the format that it really is in with --from-format.")
    }
    let reader = try ArchiveReader(path)
    do {
      return (reader.kind, try head(of: reader))
    } catch let failure as RunFailure where failure.status == .mismatch && ArchiveKind.named(path) == nil {
      // A single file that is compressed is no damaged archive, unless its name says that it is one.
      throw missing(path)
    }
  }

  /// Why something is no pack.
  static func missing(_ path: String) -> RunFailure {
    let isFolder = PackFolder.isFolder(path)
    let what = "\(isFolder ? "it is a bag, but" : "it is compressed, and") no content pack: it has no \(PackInfo.path)"
    let finding = Diagnostic(
      .packInfo, what, at: Place(file: path),
      fix: isFolder ? "name its data folder to have the files in it read" : "unpack it first")
    return RunFailure(.failed, finding, message: "read '\(path)': \(what)")
  }
}
