import Content
import ContentPack
import Foundation
import Interchange

/// Removes the backups of a library that a policy does not keep.
///
/// A file is left alone and named in the report if it cannot be read, belongs to another library, is a folder, or lacks
/// its parent. Before any backup is removed, all backups that are kept in its place are read from end to end. A damaged
/// backup does not count towards the number to keep, and the next best backup is kept instead. Children are removed
/// before their parents, so a run that is killed leaves no chain without its beginning.
public struct BackupRotation: Sendable {
  /// The policy that selects the backups to keep.
  public let policy: RetentionPolicy
  /// Whether nothing is removed, and the report lists what would be removed.
  public var dryRun = false
  /// Receives, at intervals, the current file, the bytes done and the total.
  public var onProgress: (@Sendable (String, Int, Int) -> Void)?

  /// Creates a rotation with a policy.
  public init(_ policy: RetentionPolicy) { self.policy = policy }

  /// A backup that is kept.
  public struct Kept: Sendable, Hashable {
    /// The path of the backup.
    public let path: String
    /// The reason why the backup is kept, in a few words: `the newest`, `day 2026-01-05`, `needed by another backup`.
    public let reason: String
  }

  /// A file that was left alone.
  public struct Left: Encodable, Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The reason why the file was left alone.
    public let reason: String
  }

  /// The result of a rotation.
  public struct Report: Sendable, Hashable {
    /// The backups that are kept, newest first.
    public var kept: [Kept] = []
    /// The backups that were removed, in the order of removal.
    public var removed: [String] = []
    /// The number of bytes that were freed.
    public var freed = 0
    /// Files that were left alone because they are damaged, are not backups, lack their parents, or could not be
    /// removed.
    public var left: [Left] = []
    /// The paths of those files in `left` that need a damaged file, or that were read and are damaged.
    public var damaged: [String] = []
    /// The number of backups with the same name that were left alone because their library is in another folder.
    public var others = 0
  }

  /// A backup that does not exist yet, for a dry run.
  package struct Planned {
    let path: String
    let takenAt: Timestamp
    /// The identity of the backup's parent; nil for a full backup.
    let parentIdentity: String?
  }

  /// Rotates the backups in a folder.
  /// - Parameters:
  ///   - name: the name of the library in its backups. Backups of other libraries are not touched.
  ///   - origin: the identity of the library in its backups (`BackupInfo.origin`).
  ///   - keeping: paths that are kept in any case, such as the backup that was just made.
  ///   - proved: paths whose checksums were just verified. Of these, only the backups that they need are read.
  /// - Throws: `RunFailure` with status 2 if the folder cannot be read.
  public func run(
    folder: String, name: String, origin: String? = nil, keeping: [String] = [], proved: [String] = []
  ) throws -> Report {
    try run(folder: folder, name: name, origin: origin, keeping: keeping, proved: proved, planned: nil)
  }

  /// - Parameter planned: a backup that counts as if it existed already.
  package func run(
    folder: String, name: String, origin: String?, keeping: [String] = [], proved: [String] = [], planned: Planned?
  ) throws -> Report {
    let content = try BackupFolder(folder)
    let entries = content.entries.filter { $0.file.isOfLibrary(name, origin) }
    let foreign = content.entries.filter { !$0.file.isOfLibrary(name, origin) }
    var report = Report()
    report.others = foreign.count { $0.file.info.name.utf8.elementsEqual(name.utf8) }
    report.left = content.others.map { Left(path: $0.path, reason: $0.reason) }
    // Two spellings of one path refer to one file.
    let wanted = Set(keeping.map(Self.key))
    let own = Set(entries.map(\.file.identity))
    var backups = entries.map { entry in
      // A complete chain may begin with backups from the library's earlier name or folder, which are not touched.
      let parent = entry.parentIdentity.flatMap { entry.isBroken || own.contains($0) ? $0 : nil }
      return RetentionPlan.Backup(
        file: entry.file.path, identity: entry.file.identity, taken: entry.file.info.takenAt, parent: parent)
    }
    if let planned {
      let parent = planned.parentIdentity.flatMap { own.contains($0) ? $0 : nil }
      backups.append(
        RetentionPlan.Backup(file: planned.path, identity: "planned", taken: planned.takenAt, parent: parent))
    }
    let needed = Set(foreign.compactMap(\.parentIdentity))
    var isFolder: Set<String> = []
    var stays: Set<String> = []
    for entry in entries {
      var status = stat()
      if stat(entry.file.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { isFolder.insert(entry.file.path) }
      if wanted.contains(Self.key(entry.file.path)) || needed.contains(entry.file.identity) {
        stays.insert(entry.file.path)
      }
    }
    let soundness = BackupSoundness(content.entries.map(\.file), proved: proved, onProgress: onProgress)
    let (plan, problems) = try plan(backups, entries, wanted: isFolder.union(stays), soundness)
    let unreadable = content.others.filter { $0.status == .mismatch }.map(\.path)
    report.damaged = (problems.keys + unreadable).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for entry in entries.reversed() {
      let path = entry.file.path
      guard let reason = plan.kept[path] else { continue }
      if reason == .broken {
        report.left.append(Left(path: path, reason: "a backup that it needs is missing; it cannot be restored"))
      }
      if let problem = problems[path] { report.left.append(Left(path: path, reason: problem)) }
      report.kept.append(Kept(path: path, reason: isFolder.contains(path) ? "a folder" : Self.words(reason)))
    }
    let sizes = Dictionary(entries.map { ($0.file.path, $0.file.bytes) }, uniquingKeysWith: { $1 })
    // The newest backups come first, so that children are removed before their parents.
    for path in plan.removed.reversed() {
      try Interruption.check()
      if !dryRun {
        guard unlink(path) == 0 else {
          report.left.append(Left(path: path, reason: "it could not be removed: \(SystemError.last)"))
          continue
        }
        // The signature of a removed file is useless.
        unlink(path + ".minisig")
      }
      report.removed.append(path)
      report.freed += sizes[path] ?? 0
    }
    return report
  }

  /// Plans until all backups that the plan relies on have been read and are sound. Nothing is read if nothing is to be
  /// removed.
  private func plan(
    _ backups: [RetentionPlan.Backup], _ entries: [BackupFolder.Entry], wanted: Set<String>,
    _ soundness: BackupSoundness
  ) throws -> (plan: RetentionPlan, problems: [String: String]) {
    var problems: [String: String] = [:]
    var checked: Set<String> = []
    while true {
      let plan = RetentionPlan(backups, policy: policy, wanted: wanted, damaged: Set(problems.keys))
      guard !plan.removed.isEmpty else { return (plan, problems) }
      let before = problems.count
      for entry in entries where plan.reliesOn(entry.file.path) && checked.insert(entry.file.path).inserted {
        try Interruption.check()
        if let problem = try soundness.problem(of: entry.file) { problems[entry.file.path] = problem.message }
      }
      if problems.count == before { return (plan, problems) }
    }
  }

  private static func key(_ path: String) -> String {
    BackupTarget.file(path) ?? path
  }

  private static func words(_ reason: RetentionPlan.Reason) -> String {
    switch reason {
    case .newest: "the newest"
    case .period(.week, let name): name
    case .period(let period, let name): "\(period) \(name)"
    case .needed: "needed by another backup"
    case .broken: "incomplete"
    case .damaged: "damaged"
    case .wanted: "wanted"
    }
  }
}
