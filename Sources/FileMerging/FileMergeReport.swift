import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import RecordSources

/// A conflict between two versions of a file, with the places where people find it.
public struct FileConflict: Sendable {
  /// The record's kind, `item`.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// The record's title or name.
  public let title: String
  /// What both changed.
  public let conflict: MergeConflict
  /// Where ours says it; nil where it says nothing there.
  public internal(set) var ours: Place?
  /// Where theirs says it, if ours says nothing there.
  public internal(set) var theirs: Place?
}

/// What came of merging three versions of a file.
public struct FileMergeReport: Sendable {
  /// How many records there are of each sort.
  public struct Counts: Encodable, Sendable, Equatable {
    /// Records that both sides have as they were, or changed alike.
    public var same = 0
    /// Records that only ours changed.
    public var fromOurs = 0
    /// Records that only theirs changed.
    public var fromTheirs = 0
    /// Records that both sides changed.
    public var merged = 0
    /// Records that only ours has, and that were not there before.
    public var addedByOurs = 0
    /// Records that only theirs has, and that were not there before.
    public var addedByTheirs = 0
    /// Records that one side, or both, deleted.
    public var deleted = 0
    /// Records with at least one conflict.
    public var conflicting = 0
  }

  /// What became of the records.
  public internal(set) var counts = Counts()
  /// The conflicts, in the order of records; at most `kept`.
  public internal(set) var conflicts: [FileConflict] = []
  /// How many conflicts there are.
  public internal(set) var conflictCount = 0
  /// Whether the conflicts were settled, by `--ours` or `--theirs`.
  public internal(set) var isSettled = false
  /// Whether the result keeps the typing of the versions; if not, it was written anew.
  public internal(set) var keepsTyping = false
  /// How many bytes were written.
  public internal(set) var size = 0

  /// How many conflicts are kept in full.
  public static let kept = 1000

  /// Whether somebody has to decide something.
  public var isClean: Bool { conflictCount == 0 || isSettled }
}
