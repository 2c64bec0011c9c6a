import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import RecordSources

/// A conflict between two versions of a file, with its places.
public struct FileConflict: Sendable {
  /// The record's kind: `item`.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// The record's title or name.
  public let title: String
  /// The values that both sides changed.
  public let conflict: MergeConflict
  /// The place in our version; nil if ours has no value there.
  public internal(set) var ours: Place?
  /// The place in their version, if ours has no value there.
  public internal(set) var theirs: Place?
}

/// The result of merging three versions of a file.
public struct FileMergeReport: Sendable {
  /// The number of records of each outcome.
  public struct Counts: Encodable, Sendable, Equatable {
    /// Records that neither side changed, or that both sides changed in the same way.
    public var same = 0
    /// Records that only ours changed.
    public var fromOurs = 0
    /// Records that only theirs changed.
    public var fromTheirs = 0
    /// Records that both sides changed.
    public var merged = 0
    /// New records that only ours has.
    public var addedByOurs = 0
    /// New records that only theirs has.
    public var addedByTheirs = 0
    /// Records that one side or both deleted.
    public var deleted = 0
    /// Records with at least one conflict.
    public var conflicting = 0
  }

  /// The outcomes of the records.
  public internal(set) var counts = Counts()
  /// The conflicts, in the order of records; at most `kept`.
  public internal(set) var conflicts: [FileConflict] = []
  /// The number of conflicts.
  public internal(set) var conflictCount = 0
  /// Whether the conflicts were resolved by `--ours` or `--theirs`.
  public internal(set) var isSettled = false
  /// Whether the result keeps the notation of the versions. Otherwise, the format's writer wrote the result.
  public internal(set) var keepsTyping = false
  /// The size of the result in bytes.
  public internal(set) var size = 0

  /// How many conflicts are kept in full.
  public static let kept = 1000

  /// Whether no decision is left to the user.
  public var isClean: Bool { conflictCount == 0 || isSettled }
}
