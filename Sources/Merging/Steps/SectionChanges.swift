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
    var byID: [RawText: Int] = [:]
    for (index, section) in before.sections.enumerated() { byID[section.id] = index }
    var stays = [Bool](repeating: false, count: before.sections.count)
    var pairs: [(before: Int, after: Int)] = []
    for (index, section) in after.sections.enumerated() {
      guard let old = byID[section.id], !stays[old] else {
        added.append(index)
        continue
      }
      stays[old] = true
      pairs.append((old, index))
      if !Self.saysSame(before.sections[old].node, section.node) { changed.append((old, index)) }
    }
    removed = stays.indices.filter { !stays[$0] }
    let inOrder = StepChanges.longestRise(pairs.map(\.before))
    moved = zip(pairs, inOrder).filter { !$0.1 }.map(\.0.after)
  }

  private static func saysSame(_ one: JSONNode?, _ other: JSONNode?) -> Bool {
    ["title", "icon", "description"].allSatisfy { name in
      RawText(one?.member(name)) == RawText(other?.member(name))
    }
  }
}
