import ArchiveIO
import ContentPack
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Restores a library from a backup, after comparing every record with the backup's index.
///
/// ```swift
/// let report = try LibraryRestore("nightly.fleetpack", to: "anyfleet.sqlite").run()
/// ```
/// A new library gets its name once it is completely verified and on disk. An existing library is replaced in one
/// transaction if the user requested it, after a backup of the library was made. A damaged library is replaced after
/// its bytes were kept. A kill at any moment leaves either the old library or the new one.
public struct LibraryRestore: Sendable {
  /// The path of the backup.
  public let backup: String
  /// The path of the restored library.
  public let library: String
  /// Whether an existing library is replaced.
  public var replaces = false
  /// Whether everything but the last step is done.
  public var dryRun = false
  /// Receives the mismatches if the verification fails.
  public var findings = DiagnosticLog()
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares a restore.
  public init(_ backup: String, to library: String) {
    self.backup = backup
    self.library = library
  }

  /// The result of a restore.
  public struct Report: Sendable {
    /// The backup's description.
    public let info: BackupInfo
    /// The backups that were needed, the full one first.
    public let chain: [String]
    /// The number of restored records. Each of them was compared.
    public let records: Int
    /// The number of attachments with restored bytes.
    public let media: Int
    /// The size of the library in bytes.
    public let bytes: Int
    /// Whether an existing library was replaced.
    public let isReplaced: Bool
    /// The backup of the previous library; nil if there was none.
    public internal(set) var saved: String?
    /// Whether the previous library could not be read. If so, `saved` has its unchanged bytes instead of a backup.
    public internal(set) var wasDamaged = false
    /// The duration in seconds.
    public internal(set) var seconds: Double
  }

  /// Returns the backup's description, and whether a library would be replaced. Changes nothing.
  /// - Throws: `RunFailure`: 64 if the file is not a backup, 4 if a library exists that may not be replaced, 2 if the
  ///   backup cannot be read, 5 if it is damaged, 6 if it is newer than this version of FleetKit.
  public func plan() throws -> (info: BackupInfo, isReplaced: Bool) {
    let file = try BackupRecognition.require(backup)
    var status = stat()
    let isThere = lstat(library, &status) == 0
    if isThere, !replaces {
      throw RunFailure(
        .refused, "restore '\(backup)' to '\(library)': a file with that name already exists",
        advice: "Choose another name, or add --replace, which backs it up first.")
    }
    if isThere, stat(library, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw RunFailure(.refused, "restore '\(backup)' to '\(library)': a folder with that name exists")
    }
    return (file.info, isThere)
  }

  /// Restores the library.
  /// - Throws: `RunFailure`: as `plan`; 5 if any data was not restored unchanged (listed in the findings), 7 if another
  ///   program uses the library, 2 for everything else. In these cases, nothing was changed.
  public func run() throws -> Report {
    let started = Date()
    let (_, isReplaced) = try plan()
    do {
      return try isReplaced
        ? ReplacedLibrary(self).run(started) : RestoredLibrary(self).run(started)
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library)
    }
  }

  /// Assembles the backup in a folder and verifies it.
  /// - Parameter prepare: called with the library's file before it is verified.
  func assemble(
    into folder: String, _ prepare: (String) throws -> Void = { _ in }
  ) throws -> (snapshot: AssembledSnapshot, proof: SnapshotProof.Outcome) {
    let snapshot = try SnapshotAssembly(backup).assemble(into: folder, onProgress: onProgress)
    try Interruption.check()
    try prepare(snapshot.library)
    let proof = try SnapshotProof.run(snapshot, backup: backup, findings: findings) { done, total in
      try report("Comparing with the index", done, total)
    }
    guard proof.holds else {
      let first = findings.kept.first { $0.severity == .error }
      let what = first.map { " (\($0.record.map { $0 + ": " } ?? "")\($0.message))" } ?? ""
      let count = findings.count(.error)
      throw RunFailure(
        .mismatch,
        "restore '\(backup)': \(count) mismatch\(count == 1 ? "" : "es") with the backup\(what); "
          + "nothing was written",
        advice: "Use an older backup. To list all mismatches, run 'fleetkit verify --restore'.")
    }
    return (snapshot, proof)
  }

  func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }
}

/// Recognizes other files that a user might try to restore, before the restore begins.
package enum BackupRecognition {
  /// Reads a backup's head.
  /// - Throws: `RunFailure`: 64 with advice if the file is a library, a bundle, notes or a content pack; 2 if it cannot
  ///   be read, 5 if it is damaged, 6 if it is newer than this version of FleetKit.
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
    let root = (try? JSONDocument(parsing: head.text.span))?.root
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
