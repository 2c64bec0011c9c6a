/// One thing that both sides changed, and differently.
public struct MergeConflict: Sendable, Equatable {
  /// Which side's version is taken.
  public enum Choice: String, Sendable {
    /// The library's, or that of the branch that is merged into.
    case ours
    /// The source's, or that of the branch that is merged.
    case theirs
    /// Nobody knows: the record stays as it is on our side, and the other one is put aside.
    case undecided
  }

  /// Where it is in our record, as a JSON Pointer; in theirs where ours has nothing there.
  public let pointer: String
  /// The same for people: `section "Engine", step "Check oil", description`.
  public let label: String
  /// What it said before, what each side says now: JSON, nil where it is not there.
  public let base: String?
  /// What our side says.
  public let ours: String?
  /// What the other side says.
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

/// What merging does with conflicts.
public enum ConflictSettling: Sendable {
  /// The record stays as it is in the library, and the source's goes to the rejects.
  case reject
  /// Everything is merged; what both changed is the library's.
  case ours
  /// Everything is merged; what both changed is the source's.
  case theirs
  /// Somebody is asked: with the record's kind, id and title, and the conflict.
  case ask(@Sendable (MergedRecord, MergeConflict) throws -> MergeConflict.Choice)

  /// Whether somebody decides.
  var decides: Bool { if case .reject = self { false } else { true } }
}

/// Which record a conflict is in.
public struct MergedRecord: Sendable {
  /// What it is: `item`, `charter`.
  public let kind: String
  /// Its id.
  public let id: String
  /// What people call it.
  public let title: String
  /// Where it stands in the source.
  public let place: String

  /// Names a record.
  public init(kind: String, id: String, title: String, place: String) {
    self.kind = kind
    self.id = id
    self.title = title
    self.place = place
  }
}
