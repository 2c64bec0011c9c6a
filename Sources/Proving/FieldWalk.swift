import JSONText

/// Walks two records in parallel and reports every difference, down to single values.
///
/// Null and a missing member are equal. Numbers are compared by value, and strings are compared by their bytes.
package struct FieldWalk {
  /// How many values of the source were compared.
  package private(set) var fields = 0
  private var path: [JSONPointer.Step] = []

  /// Prepares to compare one pair of records.
  package init() {}

  /// Compares two records.
  /// - Parameter body: receives a difference: its path, the source's value and the value that was read back; each value
  ///   is nil if missing.
  package mutating func compare(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    let source = source.flatMap { $0.isNull ? nil : $0 }
    let target = target.flatMap { $0.isNull ? nil : $0 }
    guard let one = source ?? target else { return }
    let kind = one.kind
    let isSame = (source?.kind ?? kind) == (target?.kind ?? kind)
    if isSame, kind == .object {
      compareMembers(source, target, body)
      if source == nil || target == nil, isEmpty(one) { differ(source, target, body) }
    } else if isSame, kind == .array {
      compareElements(source, target, body)
      if source == nil || target == nil, isEmpty(one) { differ(source, target, body) }
    } else {
      if source != nil { fields += 1 }
      if let source, let target, source.means(target) { return }
      differ(source, target, body)
    }
  }

  /// Counts the values of a record that does not need to be compared.
  package mutating func count(_ node: JSONNode) {
    switch node.kind {
    case .null: break
    case .object: node.forEachMember { count($1) }
    case .array: node.forEachElement { count($0) }
    default: fields += 1
    }
  }

  private func differ(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) { body(path, source, target) }

  private func isEmpty(_ node: JSONNode) -> Bool { Int(node.token.next) == node.index + 1 }

  private mutating func compareMembers(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    // Canonical records have their members in the same order, so the first remaining member is nearly always the match.
    var others: [(name: JSONNode, value: JSONNode)] = []
    target?.forEachMember { others.append(($0, $1)) }
    var next = 0
    source?.forEachMember { name, value in
      var found: Int?
      if next < others.count, Self.same(others[next].name, name) {
        found = next
      } else {
        found = others.firstIndex { Self.same($0.name, name) }
      }
      path.append(.member(name.string ?? ""))
      compare(value, found.map { others[$0].value }, body)
      path.removeLast()
      if let found {
        if found == next {
          next += 1
        } else {
          others.remove(at: found)
          if found < next { next -= 1 }
        }
      }
    }
    for (name, value) in others[min(next, others.count)...] {
      path.append(.member(name.string ?? ""))
      compare(nil, value, body)
      path.removeLast()
    }
  }

  private static func same(_ left: JSONNode, _ right: JSONNode) -> Bool { left.means(right) }

  private mutating func compareElements(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    var mine: [JSONNode] = []
    var theirs: [JSONNode] = []
    source?.forEachElement { mine.append($0) }
    target?.forEachElement { theirs.append($0) }
    for index in 0..<max(mine.count, theirs.count) {
      path.append(.element(index))
      compare(index < mine.count ? mine[index] : nil, index < theirs.count ? theirs[index] : nil, body)
      path.removeLast()
    }
  }
}
