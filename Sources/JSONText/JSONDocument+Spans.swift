extension JSONDocument {
  /// Where a part of the value at `pointer` stands, in bytes of the text.
  ///
  /// Where there is no such value, the innermost value around it: a default that was filled in has no place of
  /// its own.
  public func span(of pointer: JSONPointer, part: ValuePart = .value) -> Range<Int> {
    var node = rootNode
    var name: JSONNode?
    for step in pointer.steps {
      guard let (found, its) = Self.child(of: node, at: step) else { return node.span }
      node = found
      name = its
    }
    switch part {
    case .value: return node.span
    case .name: return name?.span ?? node.span
    case .text(let range):
      guard node.kind == .string else { return node.span }
      let inner = node.inner
      let start = node.span.lowerBound + 1
      guard node.token.flags.contains(.escaped) else {
        let from = min(range.lowerBound, inner.count)
        return start + from..<start + min(max(from, range.upperBound), inner.count)
      }
      let from = JSONStrings.writtenOffset(ofTextOffset: range.lowerBound, in: inner)
      let to = JSONStrings.writtenOffset(ofTextOffset: range.upperBound, in: inner)
      return start + from..<start + max(from, to)
    }
  }

  /// The last member of that name, or the element, with its name.
  private static func child(of node: JSONNode, at step: JSONPointer.Step) -> (JSONNode, JSONNode?)? {
    var found: (JSONNode, JSONNode?)?
    let word =
      switch step {
      case .member(let text): text
      case .element(let index): String(index)
      }
    if node.kind == .array, case .element(let wanted) = step {
      var position = 0
      node.forEachElement { element in
        if position == wanted { found = (element, nil) }
        position += 1
      }
    }
    node.forEachMember { name, value in
      if name.string?.isExactly(word) == true { found = (value, name) }
    }
    return found
  }
}
