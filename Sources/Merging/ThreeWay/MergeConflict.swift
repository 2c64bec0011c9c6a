/// A value that both sides changed differently.
public struct MergeConflict: Sendable, Equatable {
  /// The side whose version is taken.
  public enum Choice: String, Sendable {
    /// The library's side, or the branch that is merged into.
    case ours
    /// The source's side, or the branch that is merged.
    case theirs
    /// Neither side: the record stays unchanged on our side, and the other side's record is rejected.
    case undecided
  }

  /// The position in our record as a JSON Pointer, or in their record if ours has no value there.
  public let pointer: String
  /// The position for people: `section "Engine", step "Check oil", description`.
  public let label: String
  /// The base's value as JSON; nil if missing.
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
  /// The record stays unchanged in the library, and the source's record goes to the rejects.
  case reject
  /// Everything is merged. In conflicts, the library's value is used.
  case ours
  /// Everything is merged. In conflicts, the source's value is used.
  case theirs
  /// The user is asked about each record and conflict.
  case ask(@Sendable (MergedRecord, MergeConflict) throws -> MergeConflict.Choice)

  /// Whether conflicts are resolved.
  var decides: Bool { if case .reject = self { false } else { true } }
}

/// The record of a conflict.
public struct MergedRecord: Sendable {
  /// The kind: `item`, `charter`.
  public let kind: String
  /// The record's id.
  public let id: String
  /// The record's title or name.
  public let title: String
  /// The record's place in the source.
  public let place: String

  /// Describes a record.
  public init(kind: String, id: String, title: String, place: String) {
    self.kind = kind
    self.id = id
    self.title = title
    self.place = place
  }
}
