/// Finds where values of one document stand; asking for many of them in one long list costs one walk over it.
///
/// Remembers the containers that were walked last, so it serves one document: make a new one for another.
public struct SpanFinder: Sendable {
  /// A container that was walked, and what is known about it.
  private struct Level {
    let container: Int
    /// The element that was found last in an array.
    var child: Int
    var position = 0
    /// The names of a large object; nil until somebody asks.
    var names: [[UInt8]: Int]?
  }

  /// Objects with fewer members are searched name by name.
  private static let few = 32
  private var levels: [Level] = []

  /// Begins without memory.
  public init() {}

  /// Where a part of the value at `pointer` stands, in bytes of the text.
  ///
  /// Where there is no such value, the innermost value around it: a default that was filled in has no place of
  /// its own. Of members with the same name the last counts.
  public mutating func span(of pointer: JSONPointer, part: ValuePart = .value, in document: JSONDocument) -> Range<Int>
  {
    defer { withExtendedLifetime(document) {} }
    var node = document.rootNode
    var name: JSONNode?
    for (depth, step) in pointer.steps.enumerated() {
      guard let child = child(of: node, at: step, depth) else { return node.span }
      name = node.kind == .object ? node.at(child) : nil
      node = node.at(node.kind == .object ? child + 1 : child)
    }
    switch part {
    case .value: return node.span
    case .name: return name?.span ?? node.span
    case .text(let range): return Self.span(ofText: range, in: node)
    }
  }

  private static func span(ofText range: Range<Int>, in node: JSONNode) -> Range<Int> {
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

  /// The token of an element, or of the last name that a step means; nil when there is none.
  private mutating func child(of node: JSONNode, at step: JSONPointer.Step, _ depth: Int) -> Int? {
    if depth == levels.count {
      levels.append(Level(container: node.index, child: node.index + 1))
    } else if levels[depth].container != node.index {
      levels[depth] = Level(container: node.index, child: node.index + 1)
    }
    switch (node.kind, step) {
    case (.array, .element(let wanted)): return element(wanted, of: node, depth)
    case (.object, .member(let name)): return member(Array(name.utf8), of: node, depth)
    // A pointer that was read from text cannot tell a number from a name that looks like one.
    case (.object, .element(let index)): return member(Array(String(index).utf8), of: node, depth)
    default: return nil
    }
  }

  private mutating func element(_ wanted: Int, of node: JSONNode, _ depth: Int) -> Int? {
    guard wanted >= 0 else { return nil }
    let end = Int(node.token.next)
    var child = levels[depth].child
    var position = levels[depth].position
    if wanted < position { (child, position) = (node.index + 1, 0) }
    while child < end, position < wanted {
      child = Int(node.tokens[child].next)
      position += 1
    }
    guard child < end else { return nil }
    levels[depth].child = child
    levels[depth].position = position
    return child
  }

  private mutating func member(_ wanted: [UInt8], of node: JSONNode, _ depth: Int) -> Int? {
    if let names = levels[depth].names { return names[wanted] }
    var found: Int?
    var count = 0
    node.forEachMember { name, _ in
      count += 1
      if Self.says(name, wanted) { found = name.index }
    }
    if count > Self.few {
      var names: [[UInt8]: Int] = [:]
      node.forEachMember { name, _ in names[Array((name.string ?? "").utf8)] = name.index }
      levels[depth].names = names
    }
    return found
  }

  private static func says(_ name: JSONNode, _ wanted: [UInt8]) -> Bool {
    name.token.flags.contains(.escaped)
      ? (name.string ?? "").utf8.elementsEqual(wanted) : name.inner.elementsEqual(wanted)
  }
}

extension JSONDocument {
  /// Where a part of the value at `pointer` stands, in bytes of the text, as `SpanFinder` says.
  public func span(of pointer: JSONPointer, part: ValuePart = .value) -> Range<Int> {
    var finder = SpanFinder()
    return finder.span(of: pointer, part: part, in: self)
  }
}
