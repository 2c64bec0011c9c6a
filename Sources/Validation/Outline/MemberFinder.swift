import Content
import JSONText

/// Finds some members of an object by name, in one walk, quickly when they come in a shape's order.
struct MemberFinder: Sendable {
  private let shape: Shape
  /// Slot for each member of the shape; -1 for those that nobody asks for.
  private let slots: [Int8]
  /// How many members are looked for.
  let count: Int

  /// Looks for the members called `names`, which the shape must have; slot numbers follow the order of `names`.
  init(_ shape: Shape, _ names: [String]) {
    self.shape = shape
    count = names.count
    slots = shape.members.map { member in
      Int8(names.firstIndex(of: member.nameText) ?? -1)
    }
  }

  /// Sets `found[slot]` to the token index of each member's value, -1 where there is none.
  func find(in object: JSONNode, into found: UnsafeMutableBufferPointer<Int>) {
    for slot in 0..<count { found[slot] = -1 }
    guard object.kind == .object else { return }
    let end = Int(object.token.next)
    var child = object.index + 1
    var hint = 0
    while child < end {
      let index = shape.index(of: object.at(child).inner, from: hint)
      if index >= 0 {
        hint = index + 1
        let slot = Int(slots[index])
        if slot >= 0 { found[slot] = child + 1 }
      }
      child = Int(object.tokens[child + 1].next)
    }
  }
}
