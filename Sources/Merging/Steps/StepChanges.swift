import Content
import Foundation
import JSONText

/// What changes among the steps of a checklist, or the cards of a deck, when it is written over.
struct StepChanges {
  /// Indices in the tree before, or after, as the names say.
  private(set) var added: [Int] = []
  private(set) var changed: [(before: Int, after: Int)] = []
  private(set) var removed: [Int] = []
  private(set) var moved: [(before: Int, after: Int)] = []

  var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty && moved.isEmpty }

  /// Nothing.
  init() {}

  /// Compares two versions of a record by the ids of its steps.
  ///
  /// As few steps as possible count as moved: those that are not in the longest sequence that stands in the same order
  /// before and after, and those that are in another section.
  init(_ before: StepTree, _ after: StepTree) {
    let found = IDPairs(before.steps, after.steps, id: \.id)
    added = found.added
    removed = found.removed
    changed = found.pairs.filter { !Self.saysSame(before.steps[$0.before].node, after.steps[$0.after].node) }
    for (pair, keeps) in zip(found.pairs, found.keepsOrder) {
      let old = before.sections[before.steps[pair.before].section].id
      if !keeps || old != after.sections[after.steps[pair.after].section].id { moved.append(pair) }
    }
  }

  /// Whether two versions of a step differ in nothing but their place.
  private static func saysSame(_ one: JSONNode, _ other: JSONNode) -> Bool {
    func next(_ child: inout Int, _ node: JSONNode) -> (JSONNode, JSONNode)? {
      while child < Int(node.token.next) {
        let name = node.at(child)
        let value = node.at(child + 1)
        child = Int(value.token.next)
        if !name.equals("sortOrder") { return (name, value) }
      }
      return nil
    }
    var i = one.index + 1
    var j = other.index + 1
    while true {
      switch (next(&i, one), next(&j, other)) {
      case (nil, nil): return true
      case (let left?, let right?):
        guard RawText(left.0) == RawText(right.0), RawJSON.equal(left.1, right.1) else { return false }
      default: return false
      }
    }
  }
}

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
