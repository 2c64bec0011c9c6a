import ArchiveIO
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import SQLiteLibrary

/// Makes a backup of a library: a consistent snapshot, an index of every record, and the content of the sidecar.
///
/// The library may be in use. It is only read, and writers wait only while its bytes are copied. Nothing is visible
/// under the target's name until everything is on disk.
///
/// ```swift
/// var backup = LibraryBackup("anyfleet.sqlite", to: "backups/")
/// backup.since = "backups/"
/// let report = try backup.run(context: RunContext(now: now))
/// ```
/// - Source: formats/backup.md
public struct LibraryBackup: Sendable {
  /// The path of the library.
  public let library: String
  /// The target: a file, or a folder in which the backup gets a name with its time.
  public let target: String
  /// The backup that the new one is based on, or a folder with such backups; nil for a full backup.
  public var since: String?
  /// Whether an existing file with the target's name may be replaced.
  public var overwrites = false
  /// Whether all records are also stored as a JSON bundle.
  public var withBundle = false
  /// The retention policy for older backups in the folder; nil keeps all. It is used only if the target is a folder.
  public var keep: RetentionPolicy?
  /// How long to wait, in seconds, for programs that write without a pause.
  public var patience = 30.0
  /// Verifies the backup after it has got its final name and before older ones are removed. Throws if the backup is not
  /// sound.
  public var proving: (@Sendable (_ path: String) throws -> Void)?
  /// Receives, at intervals, the current step, the bytes done and the total.
  public var onProgress: (@Sendable (String, Int, Int) -> Void)?

  /// Prepares a backup.
  public init(_ library: String, to target: String) {
    self.library = library
    self.target = target
  }

  /// The result of a backup.
  public struct Report: Sendable {
    /// The path of the backup.
    public let path: String
    /// The backup's description.
    public let info: BackupInfo
    /// The size of the file in bytes.
    public let bytes: Int
    /// The duration in seconds.
    public let seconds: Double
    /// The duration of copying the library, including the wait for other programs. After that, nothing blocks other
    /// programs.
    public let copySeconds: Double
    /// Why a full backup was made although an incremental one was requested; otherwise nil.
    public let fullBecause: String?
    /// The file that prevented an incremental backup based on the earlier ones, so that a full backup was made; nil if
    /// there is no such file.
    public let broken: BrokenChain?
    /// The numbers of rows that are new or changed, and of rows that were removed; nil for a full backup.
    public let changes: (put: Int, gone: Int)?
    /// Attachments whose bytes do not match their names. They are not in the backup.
    public let damagedMedia: [String]
    /// The status: 0, or 5 if an older backup is damaged. This backup is sound in either case.
    public var status: ExitStatus { broken == nil && rotation?.damaged.isEmpty ?? true ? .success : .mismatch }
    /// The report on older backups; nil if all are kept.
    public let rotation: BackupRotation.Report?
    /// The folder that was made for the backup; nil if the folder already existed.
    public let madeFolder: String?
    /// The folder of the parent, if it differs from this backup's folder. For a restore, both must be in the same
    /// folder.
    public let parentElsewhere: String?
  }

  /// The name of the library, which is its file name without the extension.
  public var name: String {
    let file = (library as NSString).lastPathComponent
    let stem = (file as NSString).deletingPathExtension
    return stem.isEmpty ? file : stem
  }

  /// Makes the backup.
  /// - Parameter context: its time becomes the backup's time, and its log receives the findings about the records.
  /// - Throws: `RunFailure`: 2 if the library is damaged or not a library, or a file cannot be written, 4 if the target
  ///   exists or the parent belongs to another library, 7 if other programs keep the library locked.
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
      // No older backup is removed before the new one has been read again.
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

  /// The result of planning a backup.
  public struct Plan: Sendable {
    /// The path of the backup.
    public let path: String
    /// The backup that the new one would be based on; nil for a full backup.
    public let since: String?
    /// Why a full backup would be made although an incremental one is requested; otherwise nil.
    public let fullBecause: String?
    /// The file that prevents an incremental backup based on the earlier ones, according to their heads; nil if there
    /// is no such file.
    public let broken: BrokenChain?
    /// The report on older backups; nil if all are kept.
    public let rotation: BackupRotation.Report?
    /// The folder that would be made; nil if it exists.
    public let madeFolder: String?
    /// The identity of the library among libraries with the same name.
    public let origin: String?
    /// The status: 0, or 5 if an older backup is damaged.
    public var status: ExitStatus { broken == nil && rotation?.damaged.isEmpty ?? true ? .success : .mismatch }
  }

  /// Determines what `run` would do: its target, the backup that the new one would be based on, and the older backups
  /// that it would remove. Reads the older backups that would be kept in place of removed ones, and writes nothing.
  /// - Throws: `RunFailure`, as `run` does.
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
        advice: "A backup of it would contain the damage too. " + LibraryFile.damageAdvice(library))
    }
  }
}

/// Distinguishes libraries with the same name by their paths, because two boats may each have an `anyfleet.sqlite`.
///
/// A backup contains only a hash, because a user's folders are private.
/// - Source: formats/backup.md, "What it records about itself"
enum LibraryOrigin {
  /// Returns the first 16 digits of the SHA-256 of a library's real absolute path; nil if the library does not exist.
  static func of(_ library: String) -> String? {
    guard let real = realpath(library, nil) else { return nil }
    defer { free(real) }
    let bytes = UnsafeRawBufferPointer(start: real, count: strlen(real)).bindMemory(to: UInt8.self)
    return String(Digest.hex(Digest.sha256(bytes.span)).prefix(16))
  }
}
