import Content
import JSONText

/// The members of a canonical object by their place in its shape, and those that the shape does not know.
final class MemberSlots {
  let shape: Shape
  let rules: [MemberRule]
  private let slots: UnsafeMutableBufferPointer<Int>
  private(set) var node: JSONNode?
  /// Token indices of the names of unknown members.
  private(set) var unknown: [Int] = []

  init(_ shape: Shape) {
    self.shape = shape
    rules = MemberRule.rules(shape)
    slots = .allocate(capacity: shape.members.count)
    slots.initialize(repeating: -1)
  }

  deinit { slots.deallocate() }

  /// Finds the members of an object; nil empties the slots.
  func load(_ node: JSONNode?) {
    self.node = node
    slots.update(repeating: -1)
    if !unknown.isEmpty { unknown.removeAll(keepingCapacity: true) }
    guard let node, node.kind == .object else { return }
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape.index(of: node.at(child).inner, from: hint)
      if index >= 0 {
        slots[index] = child + 1
        hint = index + 1
      } else {
        unknown.append(child)
      }
      child = Int(node.tokens[child + 1].next)
    }
  }

  /// The value of a member; nil when it is missing or null.
  subscript(index: Int) -> JSONNode? {
    guard let node, slots[index] >= 0 else { return nil }
    let value = node.at(slots[index])
    return value.isNull ? nil : value
  }

  /// The value of a member by name; nil when it is missing or null.
  subscript(name: StaticString) -> JSONNode? {
    let index = name.withUTF8Buffer { shape.index(of: $0, from: 0) }
    return index < 0 ? nil : self[index]
  }
}
