import ContentPack
import Foundation
import Interchange

/// Removes the backups of a library that a policy does not keep.
///
/// What cannot be read, is of another library, is a folder, or lacks its parent is left alone and named in the
/// report. Children go before their parents, so that a run that is killed leaves no chain without its beginning.
public struct BackupRotation: Sendable {
  /// What is kept.
  public let policy: RetentionPolicy
  /// Whether nothing is removed, and the report says what would be.
  public var dryRun = false

  /// Rotates by a policy.
  public init(_ policy: RetentionPolicy) { self.policy = policy }

  /// A backup that stays.
  public struct Kept: Sendable, Hashable {
    /// Where it is.
    public let path: String
    /// Why it stays, in a few words: `the newest`, `day 2026-01-05`, `needed by another one`.
    public let reason: String
  }

  /// A file that was left alone.
  public struct Left: Sendable, Hashable {
    /// Where it is.
    public let path: String
    /// Why nothing was done to it.
    public let reason: String
  }

  /// What became of the folder.
  public struct Report: Sendable, Hashable {
    /// Backups that stay, newest first.
    public var kept: [Kept] = []
    /// Backups that were removed, in the order in which they went.
    public var removed: [String] = []
    /// Bytes that became free.
    public var freed = 0
    /// Files that were left alone because they are damaged, no backups, incomplete or could not be removed.
    public var left: [Left] = []
  }

  /// Rotates a folder.
  /// - Parameters:
  ///   - name: what the library is called in its backups; backups of others are not touched.
  ///   - keeping: paths that stay in any case, such as the backup that was just made.
  /// - Throws: `RunFailure` with status 2 when the folder cannot be read.
  public func run(folder: String, name: String, keeping: [String] = []) throws -> Report {
    let content = try BackupFolder(folder, library: name)
    var report = Report()
    report.left = content.others.map { Left(path: $0.path, reason: $0.reason) }
    // Two spellings of one path are one file.
    let wanted = Set(keeping.map(Self.key))
    let backups = content.entries.map { entry in
      RetentionPlan.Backup(
        file: entry.file.path, identity: entry.file.identity, taken: entry.file.info.takenAt,
        parent: entry.file.parentIdentity)
    }
    var isFolder: Set<String> = []
    for entry in content.entries {
      var status = stat()
      if stat(entry.file.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { isFolder.insert(entry.file.path) }
    }
    let plan = RetentionPlan(
      backups, policy: policy,
      wanted: isFolder.union(content.entries.map(\.file.path).filter { wanted.contains(Self.key($0)) }))
    for entry in content.entries.reversed() {
      let path = entry.file.path
      guard let reason = plan.kept[path] else { continue }
      if reason == .broken {
        report.left.append(Left(path: path, reason: "a backup that it needs is not there; it cannot be restored"))
      }
      report.kept.append(Kept(path: path, reason: isFolder.contains(path) ? "a folder" : Self.words(reason)))
    }
    let sizes = Dictionary(content.entries.map { ($0.file.path, $0.file.bytes) }, uniquingKeysWith: { $1 })
    // Newest first: children go before their parents.
    for path in plan.removed.reversed() {
      try Interruption.check()
      if !dryRun {
        guard unlink(path) == 0 else {
          report.left.append(Left(path: path, reason: "it could not be removed: \(SystemError.last)"))
          continue
        }
        // A signature of a file that is gone says nothing to anybody.
        unlink(path + ".minisig")
      }
      report.removed.append(path)
      report.freed += sizes[path] ?? 0
    }
    return report
  }

  private static func key(_ path: String) -> String {
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : path
  }

  private static func words(_ reason: RetentionPlan.Reason) -> String {
    switch reason {
    case .newest: "the newest"
    case .period(.week, let name): name
    case .period(let period, let name): "\(period) \(name)"
    case .needed: "needed by another one"
    case .broken: "incomplete"
    case .wanted: "wanted"
    }
  }
}
