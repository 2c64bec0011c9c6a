import ArchiveIO
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import SQLiteLibrary

/// Makes a backup of a library: a consistent snapshot, an index of every record, and what lies beside the library.
///
/// The library may be in use: it is only read, and who writes to it waits for no longer than its bytes take to copy.
/// Nothing is visible under the target's name before everything is on disk.
///
/// ```swift
/// var backup = LibraryBackup("anyfleet.sqlite", to: "backups/")
/// backup.since = "backups/"
/// let report = try backup.run(context: RunContext(now: now))
/// ```
/// - Source: formats/backup.md
public struct LibraryBackup: Sendable {
  /// The library.
  public let library: String
  /// The file that it becomes, or a folder, in which it gets a name by its time.
  public let target: String
  /// A backup that only changes are kept against, or a folder with such backups; nil for a full backup.
  public var since: String?
  /// Whether a file of the target's name may be replaced.
  public var overwrites = false
  /// Whether everything is kept as a JSON bundle too.
  public var withBundle = false
  /// Which older backups of the folder stay; nil for all. Only where the target is a folder.
  public var keep: RetentionPolicy?
  /// How many seconds others are waited for who write without a pause.
  public var patience = 30.0
  /// Proves the backup when it has its name, before older ones are removed; throws when it does not hold.
  public var proving: (@Sendable (_ path: String) throws -> Void)?
  /// Called now and then with what is done, bytes done and bytes in all.
  public var onProgress: (@Sendable (String, Int, Int) -> Void)?

  /// Plans a backup.
  public init(_ library: String, to target: String) {
    self.library = library
    self.target = target
  }

  /// What was backed up.
  public struct Report: Sendable {
    /// The backup's file.
    public let path: String
    /// What it says about itself.
    public let info: BackupInfo
    /// Bytes of the file.
    public let bytes: Int
    /// How long it took.
    public let seconds: Double
    /// How long the copy of the library took, waiting for others included; nobody waits for anything after it.
    public let copySeconds: Double
    /// Why it is a full backup although an incremental one was asked for; nil else.
    public let fullBecause: String?
    /// The file that keeps the backups before from being built on, which is why this is a full one; nil when none does.
    public let broken: BrokenChain?
    /// Rows that are new or changed, and rows that are gone, in an incremental backup.
    public let changes: (put: Int, gone: Int)?
    /// Attachments whose bytes are not what their names say; they are not in the backup.
    public let damagedMedia: [String]
    /// 0, or 5 when an older backup turned out to be damaged: this one is whole nevertheless.
    public var status: ExitStatus { broken == nil && rotation?.damaged.isEmpty ?? true ? .success : .mismatch }
    /// What became of older backups; nil when all stay.
    public let rotation: BackupRotation.Report?
    /// The folder that was made for the backup; nil when it was there.
    public let madeFolder: String?
    /// Where the parent lies, when that is another folder than this backup's: both must lie in one to be restored.
    public let parentElsewhere: String?
  }

  /// What the library is called: its file's name without the ending.
  public var name: String {
    let file = (library as NSString).lastPathComponent
    let stem = (file as NSString).deletingPathExtension
    return stem.isEmpty ? file : stem
  }

  /// Makes it.
  /// - Parameter context: its time is the backup's; its findings get what the records say.
  /// - Throws: `RunFailure`: 2 when the library is damaged or none, or something cannot be written, 4 when the target is
  ///   there or the parent belongs to another library, 7 when others keep the library.
  public func run(context: RunContext) throws -> Report {
    let started = Date()
    if keep != nil, !BackupTarget.isFolder(target) { throw onlyFolders }
    let file = try BackupTarget(target, name: name, time: context.now, overwrites: overwrites)
    let madeFolder = try BackupTarget.lacksFolder(target)
    let made = try make(file, context)
    if let broken = made.broken {
      context.findings.report(Diagnostic(.brokenChain, broken.reason, at: Place(file: broken.path)))
    }
    try proving?(file.path)
    var rotation: BackupRotation.Report?
    if let keep {
      // Nothing goes before what takes its place was read again.
      let check = try BagCheck(file.path, level: .content).run()
      guard check.isValid else {
        throw RunFailure(
          .mismatch, "read '\(file.path)' again: \(check.findings.first?.message ?? "it is damaged")",
          advice: "The disk may be failing. No older backup was removed.")
      }
      var work = BackupRotation(keep)
      work.onProgress = onProgress
      rotation = try work.run(
        folder: target, name: name, origin: made.info.origin, keeping: [file.path], proved: [file.path])
    }
    return Report(
      path: file.path, info: made.info, bytes: made.bytes, seconds: Date().timeIntervalSince(started),
      copySeconds: made.copySeconds,
      fullBecause: made.fullBecause, broken: made.broken, changes: made.changes, damagedMedia: made.damagedMedia,
      rotation: rotation,
      madeFolder: madeFolder ? target : nil,
      parentElsewhere: made.parentPath.flatMap { Self.isElsewhere($0, file.path) ? $0 : nil })
  }

  /// What a backup would do.
  public struct Plan: Sendable {
    /// The file that it would become.
    public let path: String
    /// The backup that only changes would be kept against; nil for a full one.
    public let since: String?
    /// Why it would be a full backup although an incremental one is asked for; nil else.
    public let fullBecause: String?
    /// The file that keeps the backups before from being built on, as far as their heads show; nil when none does.
    public let broken: BrokenChain?
    /// What would become of older backups; nil when all stay.
    public let rotation: BackupRotation.Report?
    /// The folder that would be made; nil when it is there.
    public let madeFolder: String?
    /// Which library of its name it is.
    public let origin: String?
    /// 0, or 5 when an older backup is damaged.
    public var status: ExitStatus { broken == nil && rotation?.damaged.isEmpty ?? true ? .success : .mismatch }
  }

  /// Finds out what `run` would do: where the backup goes, what it builds on, and which older ones would be removed.
  /// Reads the older backups that others would be removed for; writes nothing.
  /// - Throws: `RunFailure` as `run`.
  public func plan(context: RunContext) throws -> Plan {
    if keep != nil, !BackupTarget.isFolder(target) { throw onlyFolders }
    _ = try LibraryFile(library, checkingPages: false)
    let file = try BackupTarget(target, name: name, time: context.now, overwrites: overwrites)
    let lacksFolder = try BackupTarget.lacksFolder(target)
    let origin = LibraryOrigin.of(library)
    let parent = try since.map { try ParentBackup($0, name: name, origin: origin, target: target) }
    var broken = parent?.broken
    var path = parent?.path
    if let found = path {
      try file.refuse([found])
      broken = try ParentBackup.broken(found, onProgress: onProgress)
      if broken != nil { path = nil }
    }
    var rotation: BackupRotation.Report?
    if let keep, !lacksFolder {
      var work = BackupRotation(keep)
      work.dryRun = true
      work.onProgress = onProgress
      let planned = BackupRotation.Planned(
        path: file.path, takenAt: context.now, parentIdentity: try path.map { try BackupFile(reading: $0).identity })
      rotation = try work.run(folder: target, name: name, origin: origin, planned: planned)
    }
    return Plan(
      path: file.path, since: path, fullBecause: path == nil ? broken?.reason ?? parent?.fullBecause : nil,
      broken: broken, rotation: rotation, madeFolder: lacksFolder ? target : nil, origin: origin)
  }

  private var onlyFolders: RunFailure {
    RunFailure(
      .usage, "keep some backups of '\(target)': only a folder has several", advice: "Name a folder with --to DIR/.")
  }

  private static func isElsewhere(_ parent: String, _ child: String) -> Bool {
    func folder(_ path: String) -> String? {
      BackupTarget.file(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
    return folder(parent) != folder(child)
  }

  private func make(_ file: BackupTarget, _ context: RunContext) throws -> BackupWork.Made {
    do {
      return try BackupWork(self, context: context).run(to: file)
    } catch let failure as RunFailure where failure.advice == LibraryFile.damageAdvice(library) {
      throw RunFailure(
        failure.status, failure.message,
        advice: "A backup of it would only keep the damage. " + LibraryFile.damageAdvice(library))
    }
  }
}
