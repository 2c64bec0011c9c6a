extension JSONNode {
  /// The path from this value to the token at `target`, which must lie inside it: a value or a member's name.
  ///
  /// Walks only the containers on the way; made when something is reported, never before. Whoever asks often keeps a
  /// `ChildIndex`.
  public func pointer(to target: Int) -> JSONPointer {
    var index = ChildIndex()
    return index.pointer(from: self, to: target)
  }
}
