import Content
import JSONText

/// Merges two versions of a record against the one that both come from.
///
/// What one side changed is taken from that side; what both changed alike is taken once; what both changed differently
/// is a conflict. Sections, steps and cards are matched by their ids, tags as a set, texts line by line; what one side
/// moved, moves. All three are canonical records of the same kind in the same terms: the same thing has the same id.
/// - Source: docs/DESIGN.md, section 6; docs/merging.md
package struct ThreeWayMerge {
  /// What came of it.
  package struct Outcome {
    /// The merged record as a canonical line. Where a conflict was not decided it says what our side says.
    package let line: [UInt8]
    /// All conflicts, in the order of our record.
    package let conflicts: [MergeConflict]
    /// How many of them nobody decided.
    package let undecided: Int

    package init(line: [UInt8], conflicts: [MergeConflict], undecided: Int) {
      self.line = line
      self.conflicts = conflicts
      self.undecided = undecided
    }
  }
}
