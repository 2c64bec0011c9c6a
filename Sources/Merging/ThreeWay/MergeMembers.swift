import Content
import JSONText

/// The members of one object by their place in a shape, and those that the shape does not know.
struct MergeMembers {
  let node: JSONNode?
  /// By place in the shape: the token of the value, -1 where it is not there.
  private var known: [Int32]
  /// Tokens of the names of the others.
  private(set) var others: [Int] = []
  /// Whether a name stands twice: then nobody knows which one counts.
  private(set) var hasTwins = false

  init(_ node: JSONNode?, _ shape: MergeShape?) {
    self.node = node
    known = Array(repeating: -1, count: shape?.names.count ?? 0)
    guard let node, node.kind == .object else { return }
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape?.shape.index(of: node.at(child).inner, from: hint) ?? -1
      if index >= 0 {
        if known[index] >= 0 { hasTwins = true }
        known[index] = Int32(truncatingIfNeeded: child + 1)
        hint = index + 1
      } else {
        others.append(child)
      }
      child = Int(node.tokens[child + 1].next)
    }
  }

  /// A known member's value, null as it is written; nil where it is not there.
  subscript(index: Int) -> JSONNode? {
    guard let node, known[index] >= 0 else { return nil }
    return node.at(Int(known[index]))
  }

  /// The other members by their names; nil when a name stands twice.
  func otherValues() -> [RawText: JSONNode]? {
    guard let node else { return [:] }
    var values: [RawText: JSONNode] = [:]
    for name in others where values.updateValue(node.at(name + 1), forKey: RawText(node.at(name))) != nil {
      return nil
    }
    return values
  }
}
