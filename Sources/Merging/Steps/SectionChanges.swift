import Content
import JSONText

/// What changes among the sections of a checklist when it is written over, their steps aside.
struct SectionChanges {
  /// Indices in the tree after; those that have gone are indices in the tree before.
  private(set) var added: [Int] = []
  private(set) var removed: [Int] = []
  private(set) var moved: [Int] = []
  /// Sections that are called otherwise, or say something else of themselves.
  private(set) var changed: [(before: Int, after: Int)] = []

  /// Compares two versions of a checklist by the ids of its sections; as few as possible count as moved.
  init(_ before: StepTree, _ after: StepTree) {
    let found = IDPairs(before.sections, after.sections, id: \.id)
    added = found.added
    removed = found.removed
    changed = found.pairs.filter { !Self.saysSame(before.sections[$0.before].node, after.sections[$0.after].node) }
    moved = zip(found.pairs, found.keepsOrder).filter { !$0.1 }.map(\.0.after)
  }

  private static func saysSame(_ one: JSONNode?, _ other: JSONNode?) -> Bool {
    ["title", "icon", "description"].allSatisfy { name in
      RawText(one?.member(name)) == RawText(other?.member(name))
    }
  }
}
