/// Finds the paths to tokens of one value; asking for many of them in one long array costs one walk over it.
///
/// Remembers the child that was passed last on every level, so it serves one tape: make a new one for another.
public struct PointerFinder: Sendable {
  /// A container on the way, and its child that the last path led through.
  private struct Level {
    let container: Int
    var child: Int
    var position: Int
  }

  private var levels: [Level] = []

  /// Begins without memory.
  public init() {}

  /// The path from `root` to the token at `target`, which must lie inside it: a value or a member's name.
  ///
  /// Walks only the containers on the way; made when something is reported, never before.
  public mutating func pointer(to target: Int, from root: JSONNode) -> JSONPointer {
    var steps: [JSONPointer.Step] = []
    var node = root
    while node.index != target, target < Int(node.token.next), node.kind == .object || node.kind == .array {
      let isObject = node.kind == .object
      var level = begin(at: steps.count, node, target)
      // A member is a name and a value; what lies before `next` is this child.
      var value = isObject ? level.child + 1 : level.child
      while Int(node.tokens[value].next) <= target {
        level.child = Int(node.tokens[value].next)
        level.position += 1
        value = isObject ? level.child + 1 : level.child
      }
      levels[steps.count] = level
      steps.append(isObject ? .member(node.at(level.child).string ?? "") : .element(level.position))
      if isObject, target == level.child { break }
      node = node.at(value)
    }
    return JSONPointer(steps)
  }

  /// Where the search among the children of `node` begins.
  private mutating func begin(at depth: Int, _ node: JSONNode, _ target: Int) -> Level {
    let first = Level(container: node.index, child: node.index + 1, position: 0)
    guard depth < levels.count else {
      levels.append(first)
      return first
    }
    return levels[depth].container == node.index && levels[depth].child <= target ? levels[depth] : first
  }
}

extension JSONNode {
  /// The path from this value to the token at `target`, which must lie inside it: a value or a member's name.
  public func pointer(to target: Int) -> JSONPointer {
    var finder = PointerFinder()
    return finder.pointer(to: target, from: self)
  }
}
