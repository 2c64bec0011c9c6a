/// What a JSON text is expected to hold: which members its objects have and what kind each value is.
///
/// `JSONRepair` decides by it where a damaged text goes on.
public struct JSONOutline: Sendable {
  /// The expected kind of a value.
  public indirect enum Value: Sendable {
    /// Anything.
    case any
    case text
    /// A UUID in a string.
    case identifier
    case boolean
    case number
    case array(of: Value)
    /// An object with these members. One that is damaged and has none of the members `identity` is not kept.
    case object([(name: String, value: Value)], identity: Set<String> = [])
    /// An object whose members are named by UUIDs.
    case map(of: Value)
  }

  struct Node {
    enum Kind { case any, text, identifier, boolean, number, array, object, map }
    let kind: Kind
    var names: [[UInt8]] = []
    /// The nodes of the members; of an array or map the one node of its values.
    var children: [Int32] = []
    /// A bit for each member that identifies an object.
    var identity: UInt64 = 0
  }

  private(set) var nodes: [Node] = [Node(kind: .any)]
  /// The node of the text as a whole.
  private(set) var root: Int32 = 0

  /// An outline that expects nothing.
  public static let anything = JSONOutline(.any)

  /// Makes an outline. Of an object, the first 64 members count.
  public init(_ value: Value) { root = add(value) }

  private mutating func add(_ value: Value) -> Int32 {
    switch value {
    case .any: return 0
    case .text: return append(Node(kind: .text))
    case .identifier: return append(Node(kind: .identifier))
    case .boolean: return append(Node(kind: .boolean))
    case .number: return append(Node(kind: .number))
    case .array(let element): return append(Node(kind: .array, children: [add(element)]))
    case .map(let element): return append(Node(kind: .map, children: [add(element)]))
    case .object(let members, let identity):
      var node = Node(kind: .object)
      for (index, member) in members.prefix(64).enumerated() {
        node.names.append(Array(member.name.utf8))
        node.children.append(add(member.value))
        if identity.contains(member.name) { node.identity |= 1 << UInt64(index) }
      }
      return append(node)
    }
  }

  private mutating func append(_ node: Node) -> Int32 {
    nodes.append(node)
    return Int32(truncatingIfNeeded: nodes.count - 1)
  }
}
