import FleetKitCore
import Validation

/// Puts right what findings have one right answer for, in the JSON files that they point at.
///
/// A file keeps every byte around the values that change, its mode and its links; it is replaced in one step, and
/// not at all when somebody changes it meanwhile. Of edits that touch the same value the first is made and the others
/// are left: check the files again and run again, up to `rounds` times. Libraries, archives and standard input
/// are never changed. Memory is bounded by the largest file (`longest`).
public struct FixRun: Sendable {
  /// What became of one fix.
  public struct Outcome: Sendable {
    /// The fix.
    public let fix: Fix
    /// Why it was not made, in a few plain words; nil when it was.
    public let reason: String?

    /// Whether it was made (or would be, in a dry run).
    public var isApplied: Bool { reason == nil }
  }

  /// What became of all fixes.
  public struct Report: Sendable {
    /// One outcome for each fix, in the order of the fixes.
    public internal(set) var outcomes: [Outcome] = []
    /// The files that were changed (or would be), as the user named them, in the order of their first fix.
    public internal(set) var changedFiles: [String] = []
    /// Files that should have been changed and could not, and why.
    public internal(set) var failures: [RunFailure] = []

    /// How many fixes were made.
    public var applied: Int { outcomes.count { $0.isApplied } }
  }

  /// How often a caller checks and fixes again before it stops: fixes that undo each other would go on for ever.
  public static let rounds = 10
  /// Largest file that is changed, in bytes: it is held in memory.
  public static let longest = 512 << 20

  /// Whether files are left as they are, and only what would be done is said.
  public var isDryRun: Bool

  /// Plans a run.
  public init(isDryRun: Bool = false) { self.isDryRun = isDryRun }

  /// Makes edits, file by file.
  /// - Parameter stamps: what files were when they were checked, by name; a file that is another one now is left
  ///   alone. Without a stamp, a file counts as it is when the run opens it.
  /// - Throws: `RunFailure` with status 130 when the user interrupts; files that were changed by then stay changed.
  public func run(_ fixes: [Fix], since stamps: [String: FileStamp] = [:]) throws -> Report {
    var order: [String] = []
    var byFile: [String: [Int]] = [:]
    for (index, fix) in fixes.enumerated() {
      if byFile[fix.record.file, default: []].isEmpty { order.append(fix.record.file) }
      byFile[fix.record.file, default: []].append(index)
    }
    var reasons = [String?](repeating: nil, count: fixes.count)
    var report = Report()
    for file in order {
      if Interruption.isRequested {
        let changed = report.changedFiles.count
        throw RunFailure(
          .interrupted, "interrupted; \(changed == 0 ? "nothing was changed" : "\(changed) files were changed before")")
      }
      let indices = byFile[file] ?? []
      var fixing = FileFixing(file: file, fixes: indices.map { fixes[$0] })
      do {
        if try fixing.run(since: stamps[file], isDryRun: isDryRun) { report.changedFiles.append(file) }
      } catch let failure as RunFailure {
        report.failures.append(failure)
        fixing.leaveAll("not changed: \(failure.message)")
      }
      for (index, reason) in zip(indices, fixing.reasons) { reasons[index] = reason }
    }
    report.outcomes = zip(fixes, reasons).map { Outcome(fix: $0, reason: $1) }
    return report
  }
}
