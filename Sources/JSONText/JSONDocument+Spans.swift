extension JSONDocument {
  /// Where a part of the value at `pointer` stands, in bytes of the text.
  ///
  /// Where there is no such value, the innermost value around it: a default that was filled in has no place of
  /// its own.
  public func span(of pointer: JSONPointer, part: ValuePart = .value) -> Range<Int> {
    var index = ChildIndex()
    return span(of: pointer, part: part, using: &index)
  }

  /// The same for many questions about one document, with what the ones before have found out.
  package func span(
    of pointer: JSONPointer, part: ValuePart = .value, using index: inout ChildIndex
  ) -> Range<Int> {
    var node = rootNode
    var name: JSONNode?
    for step in pointer.steps {
      guard let found = index.child(of: node, at: step) else { return node.span }
      node = found.value
      name = found.name
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
      let from = index.writtenOffset(ofTextOffset: range.lowerBound, in: node)
      let to = index.writtenOffset(ofTextOffset: range.upperBound, in: node)
      return start + from..<start + max(from, to)
    }
  }
}
