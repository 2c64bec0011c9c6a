import Content
import JSONText

/// Merges two versions of a record against their common base.
///
/// A change made on only one side is taken, a change made identically on both sides is taken once, and differing
/// changes to the same value are conflicts. Sections, steps and cards are matched by their ids. Tags are merged as a
/// set, texts are merged line by line, and moves are kept. All three versions are canonical records of the same kind,
/// with the same id for the same element. The merge reads and writes nothing else, takes time in proportion to the size
/// of the records (n log n if both sides reordered), and never traps on any input.
/// - Source: docs/DESIGN.md, section 6; docs/merging.md
package struct ThreeWayMerge {
  /// How to handle members that belong to one copy of a record: publication, status, pins and counts.
  package enum OwnMembers: Sendable {
    /// Our members are kept, regardless of theirs: a library's publication is not its source's publication.
    case ours
    /// The members are merged like all others, for two versions of one file.
    case merged
  }

  /// The result of a merge.
  package struct Outcome {
    /// The merged record as a canonical line. Undecided conflicts have our side's value.
    package let line: [UInt8]
    /// All conflicts, in the order of our record.
    package let conflicts: [MergeConflict]
    /// The number of undecided conflicts.
    package let undecided: Int
    /// Sections, steps and cards that both sides added identically and that are kept once, with our id. The keys are
    /// the ids on the other side, and the values are our ids.
    package let renamed: [String: String]
    /// The number of comparisons, which tests check against the size of the records.
    package let effort: Int

    package init(
      line: [UInt8], conflicts: [MergeConflict], undecided: Int, renamed: [String: String] = [:], effort: Int = 0
    ) {
      self.line = line
      self.conflicts = conflicts
      self.undecided = undecided
      self.renamed = renamed
      self.effort = effort
    }
  }

  private let kind: RecordKind
  private let own: OwnMembers

  /// Makes a merge of records of one kind.
  package init(_ kind: RecordKind, own: OwnMembers = .ours) {
    self.kind = kind
    self.own = own
  }

  /// Merges three records. Their nodes must stay valid during the call.
  /// - Parameters:
  ///   - base: the common base; nil if unknown. Without a base, all differences are conflicts, and elements that exist
  ///     on only one side are kept.
  ///   - decide: called once for every conflict. Conflicts about positions, deletions and order come before conflicts
  ///     inside the elements.
  package func merge<Failure: Error>(
    base: JSONNode?, ours: JSONNode, theirs: JSONNode,
    decide: (MergeConflict) throws(Failure) -> MergeConflict.Choice
  ) throws(Failure) -> Outcome {
    var failure: Failure?
    let outcome = withoutActuallyEscaping(decide) { decide in
      let run = MergeRun(ours: ours, theirs: theirs, mergesOwn: own == .merged) { conflict in
        guard failure == nil else { return .undecided }
        do throws(Failure) {
          return try decide(conflict)
        } catch {
          failure = error
          return .undecided
        }
      }
      return run.merge(kind, base: base)
    }
    if let failure { throw failure }
    return outcome
  }

  /// Merges three records without resolving conflicts.
  package func merge(base: JSONNode?, ours: JSONNode, theirs: JSONNode) -> Outcome {
    merge(base: base, ours: ours, theirs: theirs) { _ throws(Never) in .undecided }
  }
}

/// One value in three versions; nil if missing.
struct ThreeVersions {
  var base: JSONNode?
  var ours: JSONNode?
  var theirs: JSONNode?
  /// Whether the base is known. If it is unknown, a missing base value means nothing.
  var knowsBase: Bool

  /// The result for one value.
  enum Merged {
    /// The value of our side, including a missing one.
    case ours
    case theirs
    /// The value was written.
    case written
  }

  /// Returns the side that is taken if at most one side changed the value; nil if both sides did.
  func trivialMerge(_ same: (JSONNode?, JSONNode?) -> Bool) -> Merged? {
    if same(ours, theirs) { return .ours }
    guard knowsBase else {
      if ThreeVersions.isMissing(ours) { return .theirs }
      return ThreeVersions.isMissing(theirs) ? .ours : nil
    }
    if same(base, theirs) { return .ours }
    return same(base, ours) ? .theirs : nil
  }

  /// Whether a value is missing or null.
  static func isMissing(_ value: JSONNode?) -> Bool { value?.isNull ?? true }

  /// Whether two values are the same; null equals a missing value.
  static func same(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right, !left.isNull, !right.isNull else { return isMissing(left) && isMissing(right) }
    return CanonicalValue.equal(left, right)
  }

  /// Whether two texts are the same; an empty text equals a missing value.
  static func sameText(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if same(left, right) { return true }
    return isBlank(left) && isBlank(right)
  }

  static func isBlank(_ value: JSONNode?) -> Bool { isMissing(value) || CanonicalValue.isBlank(value) }

  /// All three values if ours and theirs are objects. A base that is not an object counts as missing.
  var objects: ThreeVersions? {
    guard ours?.kind == .object, theirs?.kind == .object else { return nil }
    return ThreeVersions(base: base?.kind == .object ? base : nil, ours: ours, theirs: theirs, knowsBase: knowsBase)
  }
}

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
