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
    var byID: [RawText: Int] = [:]
    for (index, step) in before.steps.enumerated() { byID[step.id] = index }
    var stays = [Bool](repeating: false, count: before.steps.count)
    var pairs: [(before: Int, after: Int)] = []
    for (index, step) in after.steps.enumerated() {
      guard let old = byID[step.id], !stays[old] else {
        added.append(index)
        continue
      }
      stays[old] = true
      pairs.append((old, index))
      if !Self.saysSame(before.steps[old].node, step.node) { changed.append((old, index)) }
    }
    removed = stays.indices.filter { !stays[$0] }
    let inOrder = Self.longestRise(pairs.map(\.before))
    for (pair, keeps) in zip(pairs, inOrder) {
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

  /// For each number whether it is in the longest rising subsequence.
  static func longestRise(_ numbers: [Int]) -> [Bool] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var rises = [Bool](repeating: false, count: numbers.count)
    var at = tails.last ?? -1
    while at >= 0 {
      rises[at] = true
      at = previous[at]
    }
    return rises
  }
}
