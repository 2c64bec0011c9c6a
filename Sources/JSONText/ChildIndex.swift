/// Finds children of one text's containers again and again: those with many are listed at the first question, so that
/// a thousand findings in one array cost a thousand steps and not a million.
///
/// For one text only; memory grows by some bytes for each child of the large containers that were asked about.
package struct ChildIndex: Sendable {
  /// Up to how many children a container is walked at each question.
  private static let few = 24

  /// By a container's token: the tokens of its elements, or of its members' names.
  private var children: [Int: [UInt32]] = [:]
  /// By an object's token: the last name of each spelling, its bytes with escapes resolved.
  private var names: [Int: [[UInt8]: UInt32]] = [:]
  /// The escaped string that was asked about last.
  private var offsets: (token: Int, counter: WrittenOffsets)?

  /// Knows nothing yet.
  package init() {}

  /// The last member of that name, or the element, with its name.
  package mutating func child(of node: JSONNode, at step: JSONPointer.Step) -> (value: JSONNode, name: JSONNode?)? {
    switch (node.kind, step) {
    case (.array, .element(let position)): element(position, of: node).map { ($0, nil) }
    case (.object, .element(let position)): member(Array(String(position).utf8), of: node)
    case (.object, .member(let name)): member(Array(name.utf8), of: node)
    default: nil
    }
  }

  /// An element of an array; nil when there is none.
  package mutating func element(_ position: Int, of array: JSONValue) -> JSONValue? {
    array.document.withNode(array.index) { node in
      node.kind == .array
        ? element(position, of: node).map { JSONValue(document: array.document, index: $0.index) } : nil
    }
  }

  /// The path from a value to the token at `target`, which must lie inside it: a value or a member's name.
  package mutating func pointer(from root: JSONNode, to target: Int) -> JSONPointer {
    var steps: [JSONPointer.Step] = []
    var node = root
    while node.index != target, let (position, token) = child(of: node, around: target) {
      if node.kind == .array {
        steps.append(.element(position))
        node = node.at(token)
      } else {
        steps.append(.member(node.at(token).string ?? ""))
        if target == token { break }
        node = node.at(token + 1)
      }
    }
    return JSONPointer(steps)
  }

  /// Where a byte of a string's text stands in `inner`, its bytes as written.
  mutating func writtenOffset(ofTextOffset offset: Int, in string: JSONNode) -> Int {
    if offsets?.token != string.index { offsets = (string.index, WrittenOffsets()) }
    return offsets?.counter.written(offset, in: string.inner) ?? 0
  }

  // MARK: Large and small containers

  private mutating func element(_ position: Int, of node: JSONNode) -> JSONNode? {
    guard position >= 0 else { return nil }
    if let list = list(of: node) { return position < list.count ? node.at(Int(list[position])) : nil }
    let end = Int(node.token.next)
    var child = node.index + 1
    for _ in 0..<position where child < end { child = Int(node.at(child).token.next) }
    return child < end ? node.at(child) : nil
  }

  private mutating func member(_ name: [UInt8], of node: JSONNode) -> (value: JSONNode, name: JSONNode?)? {
    guard Int(node.token.count) > Self.few else {
      var found: (JSONNode, JSONNode?)?
      node.forEachMember { own, value in
        if own.says(name) { found = (value, own) }
      }
      return found
    }
    if names[node.index] == nil {
      var all: [[UInt8]: UInt32] = [:]
      node.forEachMember { own, _ in all[own.textBytes] = UInt32(truncatingIfNeeded: own.index) }
      names[node.index] = all
    }
    return names[node.index]?[name].map { (node.at(Int($0) + 1), node.at(Int($0))) }
  }

  /// The child that a token lies in: an element's token or a name's, and how many stand before it.
  private mutating func child(of node: JSONNode, around target: Int) -> (position: Int, token: Int)? {
    guard node.kind == .array || node.kind == .object else { return nil }
    let end = Int(node.token.next)
    guard target > node.index, target < end else { return nil }
    if let list = list(of: node) {
      var low = 0
      var high = list.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if Int(list[middle]) <= target { low = middle } else { high = middle }
      }
      return list.isEmpty ? nil : (low, Int(list[low]))
    }
    let skip = node.kind == .object ? 1 : 0
    var child = node.index + 1
    var position = 0
    while child < end {
      let next = Int(node.at(child + skip).token.next)
      if target < next { return (position, child) }
      child = next
      position += 1
    }
    return nil
  }

  /// The children of a large container; nil for a small one.
  private mutating func list(of node: JSONNode) -> [UInt32]? {
    guard Int(node.token.count) > Self.few else { return nil }
    if let known = children[node.index] { return known }
    var all: [UInt32] = []
    all.reserveCapacity(Int(node.token.count))
    node.forEachElement { all.append(UInt32(truncatingIfNeeded: $0.index)) }
    node.forEachMember { name, _ in all.append(UInt32(truncatingIfNeeded: name.index)) }
    children[node.index] = all
    return all
  }
}

extension JSONNode {
  /// A string's bytes with escapes resolved.
  package var textBytes: [UInt8] {
    guard token.flags.contains(.escaped) else { return Array(inner) }
    guard kind == .string else { return [] }
    var text = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner, into: &text)
    return Array(text.bytes)
  }

  /// Appends a string's text, escapes resolved.
  package func appendText(to out: inout ByteBuffer) {
    if token.flags.contains(.escaped) { JSONStrings.unescape(inner, into: &out) } else { out.append(inner) }
  }

  /// Whether a string's text is these bytes. Two spellings of one accent are two names, as they are for everybody.
  package func says(_ bytes: [UInt8]) -> Bool {
    token.flags.contains(.escaped) ? (string ?? "").utf8.elementsEqual(bytes) : inner.elementsEqual(bytes)
  }
}
