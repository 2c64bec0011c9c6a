import JSONText

extension JSONNode {
  /// Returns the path from this value to a token inside it. For the token of a name, this is the path of the member.
  func pointer(to token: Int) -> JSONPointer {
    var pointer = JSONPointer()
    var node = self
    while node.index < token {
      let isObject = node.kind == .object
      guard isObject || node.kind == .array else { break }
      let end = Int(node.token.next)
      var child = node.index + 1
      var position = 0
      var next: Int?
      while child < end, next == nil {
        let value = isObject ? child + 1 : child
        let after = Int(tokens[value].next)
        if token < after {
          pointer.steps.append(isObject ? .member(at(child).string ?? "") : .element(position))
          if token < value { return pointer }
          next = value
        }
        child = after
        position += 1
      }
      guard let next else { break }
      node = at(next)
    }
    return pointer
  }
}
