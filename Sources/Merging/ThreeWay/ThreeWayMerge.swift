import Content
import JSONText

/// Merges two versions of a record against the one that both come from.
///
/// What one side changed is taken from that side; what both changed alike is taken once; what both changed differently
/// is a conflict. Sections, steps and cards are matched by their ids, tags as a set, texts line by line; what one side
/// moved, moves. All three are canonical records of the same kind in the same terms: the same thing has the same id.
/// Pure: reads and writes nothing. Takes time in proportion to the records (n log n where both sides reordered), and
/// never traps on what it is given.
/// - Source: docs/DESIGN.md, section 6; docs/merging.md
package struct ThreeWayMerge {
  /// What is done with members that belong to one copy of a record: publication, status, pins and counts.
  package enum OwnMembers: Sendable {
    /// They are ours, whatever theirs says: a library's own publication is not its source's.
    case ours
    /// They are merged like all others: two versions of one file.
    case merged
  }

  /// What came of it.
  package struct Outcome {
    /// The merged record as a canonical line. Where a conflict was not decided it says what our side says.
    package let line: [UInt8]
    /// All conflicts, in the order of our record.
    package let conflicts: [MergeConflict]
    /// How many of them are undecided.
    package let undecided: Int
    /// Sections, steps and cards that both sides added alike and are kept once, with our id: theirs → ours.
    package let renamed: [String: String]
    /// How much was looked at: what a test holds against the size of the records.
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

  /// Merges three records; nodes must stay valid during the call.
  /// - Parameters:
  ///   - base: what both sides come from; nil when nothing is known: what both have differently is a conflict, what one
  ///     has and the other not is kept.
  ///   - decide: asked once for every conflict: about places, deletions and order before what stands in them.
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

  /// Merges three records and decides nothing.
  package func merge(base: JSONNode?, ours: JSONNode, theirs: JSONNode) -> Outcome {
    merge(base: base, ours: ours, theirs: theirs) { _ throws(Never) in .undecided }
  }
}

/// One value in three versions; nil where it is not there.
struct MergeTrio {
  var base: JSONNode?
  var ours: JSONNode?
  var theirs: JSONNode?
  /// Whether the base is known; if not, that it has no value says nothing.
  var knowsBase: Bool

  /// What came of one value.
  enum Merged {
    /// It is ours, or not there as with us.
    case ours
    case theirs
    /// It was written.
    case written
  }

  /// The side that is taken where at most one of them changed the value; nil where both did.
  func settled(_ same: (JSONNode?, JSONNode?) -> Bool) -> Merged? {
    if same(ours, theirs) { return .ours }
    guard knowsBase else {
      if MergeTrio.isMissing(ours) { return .theirs }
      return MergeTrio.isMissing(theirs) ? .ours : nil
    }
    if same(base, theirs) { return .ours }
    return same(base, ours) ? .theirs : nil
  }

  /// Whether a value is not there, or null.
  static func isMissing(_ value: JSONNode?) -> Bool { value?.isNull ?? true }

  /// Whether two values are the same; null is as good as nothing.
  static func same(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right, !left.isNull, !right.isNull else { return isMissing(left) && isMissing(right) }
    return RawJSON.equal(left, right)
  }

  /// The same for texts, where the empty one is as good as nothing.
  static func sameText(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if same(left, right) { return true }
    return isBlank(left) && isBlank(right)
  }

  static func isBlank(_ value: JSONNode?) -> Bool { isMissing(value) || RawJSON.isBlank(value) }

  /// All three if ours and theirs are objects; a base that is none is not there.
  var objects: MergeTrio? {
    guard ours?.kind == .object, theirs?.kind == .object else { return nil }
    return MergeTrio(base: base?.kind == .object ? base : nil, ours: ours, theirs: theirs, knowsBase: knowsBase)
  }
}
