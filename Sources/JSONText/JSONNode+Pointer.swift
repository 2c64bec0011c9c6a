extension JSONNode {
  /// The path from this value to the token at `target`, which must lie inside it: a value or a member's name.
  ///
  /// Walks only the containers on the way; made when something is reported, never before.
  public func pointer(to target: Int) -> JSONPointer {
    var steps: [JSONPointer.Step] = []
    var node = self
    descend: while node.index != target {
      let end = Int(node.token.next)
      var child = node.index + 1
      switch node.kind {
      case .object:
        while child < end {
          let value = child + 1
          let next = Int(tokens[value].next)
          if target < next {
            steps.append(.member(at(child).string ?? ""))
            if target == child { break descend }
            node = at(value)
            continue descend
          }
          child = next
        }
      case .array:
        var position = 0
        while child < end {
          let next = Int(tokens[child].next)
          if target < next {
            steps.append(.element(position))
            node = at(child)
            continue descend
          }
          position += 1
          child = next
        }
      default: break
      }
      break
    }
    return JSONPointer(steps)
  }
}
