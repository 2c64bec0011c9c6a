import ContentPack
import Diagnostics
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Gives a library back as a backup has it, after every record was compared with the backup's index.
///
/// ```swift
/// let report = try LibraryRestore("nightly.fleetpack", to: "anyfleet.sqlite").run()
/// ```
/// A library that is not there gets its name when all of it is proved and on disk. One that is there is replaced in
/// one transaction, if that was asked for, after a backup of it was made; one that is damaged after its bytes were kept. A kill at any moment leaves the old one or
/// the new one.
public struct LibraryRestore: Sendable {
  /// The backup.
  public let backup: String
  /// The library that it becomes.
  public let library: String
  /// Whether a library that is there is replaced.
  public var replaces = false
  /// Whether everything is done but the last step.
  public var dryRun = false
  /// Gets what is wrong when the proof fails.
  public var findings = DiagnosticLog()
  /// Called now and then with what is being done, and how much of it is done.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Plans a restore.
  public init(_ backup: String, to library: String) {
    self.backup = backup
    self.library = library
  }

  /// What was restored.
  public struct Report: Sendable {
    /// What the backup says about itself.
    public let info: BackupInfo
    /// The backups that were needed, the full one first.
    public let chain: [String]
    /// Records that came back, each of them compared.
    public let records: Int
    /// Attachments whose bytes came back.
    public let media: Int
    /// Bytes of the library.
    public let bytes: Int
    /// Whether a library was there and is replaced.
    public let isReplaced: Bool
    /// The backup of what was there before; nil when nothing was.
    public internal(set) var saved: String?
    /// Whether what was there could not be read; `saved` is then its bytes as they were, not a backup.
    public internal(set) var wasDamaged = false
    /// How long it took.
    public internal(set) var seconds: Double
  }

  /// What the backup says about itself, and whether a library would be replaced. Only reads.
  /// - Throws: `RunFailure`: 64 when it is no backup, 4 when a library is there that may not be replaced, 2 when the
  ///   backup cannot be read, 5 when it is damaged, 6 when it is newer than this FleetKit.
  public func plan() throws -> (info: BackupInfo, isReplaced: Bool) {
    let file = try BackupRecognition.require(backup)
    var status = stat()
    let isThere = lstat(library, &status) == 0
    if isThere, !replaces {
      throw RunFailure(
        .refused, "restore '\(backup)' to '\(library)': a file of that name is there already",
        advice: "Choose another name; or --replace, which backs it up first.")
    }
    if isThere, stat(library, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw RunFailure(.refused, "restore '\(backup)' to '\(library)': a folder of that name is there")
    }
    return (file.info, isThere)
  }

  /// Restores.
  /// - Throws: `RunFailure`: as `plan`; 5 when something did not come back as it was (the findings say what), 7 when
  ///   another program uses the library, 2 for everything else; nothing was changed then.
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

  /// Puts the backup together in a folder and proves it.
  /// - Parameter prepare: called with the library's file before it is proved.
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
        "restore '\(backup)': \(count) thing\(count == 1 ? "" : "s") did not come back as the backup says\(what); "
          + "nothing was written",
        advice: "Take an older backup. 'fleetkit verify --restore' lists everything.")
    }
    return (snapshot, proof)
  }

  func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }
}
