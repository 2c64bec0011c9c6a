/// A value that both sides changed differently.
public struct MergeConflict: Sendable, Equatable {
  /// The side whose version is taken.
  public enum Choice: String, Sendable {
    /// The library's, or that of the branch into which is merged.
    case ours
    /// The source's, or that of the branch that is merged.
    case theirs
    /// Undecided: the record stays unchanged on our side, and the other one is rejected.
    case undecided
  }

  /// The place in our record as a JSON Pointer, or in theirs if ours has no value there.
  public let pointer: String
  /// The place in words: `section "Engine", step "Check oil", description`.
  public let label: String
  /// The value in the base as JSON; nil if missing.
  public let base: String?
  /// Our side's value as JSON; nil if missing.
  public let ours: String?
  /// The other side's value as JSON; nil if missing.
  public let theirs: String?

  /// Makes a conflict.
  public init(pointer: String, label: String, base: String?, ours: String?, theirs: String?) {
    self.pointer = pointer
    self.label = label
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }
}

/// How conflicts are resolved in a merge.
public enum ConflictResolution: Sendable {
  /// The record stays unchanged in the library, and the source's goes to the rejects.
  case reject
  /// Everything is merged. Conflicts are resolved to the library's value.
  case ours
  /// Everything is merged. Conflicts are resolved to the source's value.
  case theirs
  /// The user is asked, given the record's kind, id and title, and the conflict.
  case ask(@Sendable (MergedRecord, MergeConflict) throws -> MergeConflict.Choice)

  /// Whether conflicts are resolved.
  var decides: Bool { if case .reject = self { false } else { true } }
}

/// The record of a conflict.
public struct MergedRecord: Sendable {
  /// The kind: `item`, `charter`.
  public let kind: String
  /// Its id.
  public let id: String
  /// Its title or name.
  public let title: String
  /// Its place in the source.
  public let place: String

  /// Describes a record.
  public init(kind: String, id: String, title: String, place: String) {
    self.kind = kind
    self.id = id
    self.title = title
    self.place = place
  }
}
