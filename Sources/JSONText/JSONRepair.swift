/// Makes JSON from a text that is nearly JSON: with a missing quote or bracket, overwritten bytes, a missing end,
/// extra commas, control characters in strings, broken UTF-8 or escapes, or words of other languages.
///
/// Nothing is invented: existing content is kept, missing content remains missing, and open brackets are closed. The
/// result is used in addition to the damaged original, never instead of it.
///
/// Where the text cannot be read further, all changes of one byte shortly before that place are tried, and the one is
/// made after which the text is read best. If none helps, the bytes up to the next member, object or array are left
/// out. Time is linear in the text; memory is about four times its length.
public enum JSONRepair {
  /// The repaired text.
  public struct Result: Sendable, Equatable {
    /// Text that the strict parser accepts, unless it nests too deep or has too many combining marks.
    public let text: [UInt8]
    /// The places that were damaged, in order.
    public let damages: [Damage]
    /// Whether everything in the original is in the result.
    public let isComplete: Bool
  }

  /// A place where the text was damaged.
  public struct Damage: Sendable, Equatable {
    /// The part that was lost.
    public enum Loss: Sendable, Equatable {
      /// Nothing: a bracket, comma, colon or quote was put back.
      case nothing
      /// The value was unreadable; null is in its place.
      case value
      /// Letters of the text: U+FFFD replaces bytes or escapes that are not letters.
      case letters
      /// The end.
      case ending
      /// The number of bytes that were left out; a part of the value around them is missing.
      case bytes(Int)
      /// An element of the array: too little of it was left to determine which one it was.
      case element
    }

    /// The innermost value of the result around the damage.
    public let pointer: JSONPointer
    /// The start of the damage in the original, in bytes; approximate after an earlier damage.
    public let offset: Int
    /// The part that was lost.
    public var loss: Loss
  }

  /// Repairs `text`; nil if it does not start with an array, object or string.
  public static func repair(
    _ text: UnsafeBufferPointer<UInt8>, expecting outline: JSONOutline = .anything
  ) -> Result? {
    guard text.count < JSONLimits.textLength else { return nil }
    var repairer = JSONRepairer(text, outline)
    return repairer.run()
  }
}

/// The expected content of a JSON text: the members of its objects and the kind of each value.
///
/// `JSONRepair` uses it to decide where a damaged text continues.
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
    /// An object with these members. A damaged one without any of the members `identity` is not kept.
    case object([(name: String, value: Value)], identity: Set<String> = [])
    /// An object with UUIDs as the names of its members.
    case map(of: Value)
  }

  struct Node {
    enum Kind { case any, text, identifier, boolean, number, array, object, map }
    let kind: Kind
    var names: [[UInt8]] = []
    /// The nodes of the members; for an array or map the single node of its values.
    var children: [Int32] = []
    /// A bit for each member that identifies an object.
    var identity: UInt64 = 0
  }

  private(set) var nodes: [Node] = [Node(kind: .any)]
  /// The node of the text as a whole.
  private(set) var root: Int32 = 0

  /// An outline that expects nothing.
  public static let anything = JSONOutline(.any)

  /// Creates an outline. Only the first 64 members of an object count.
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
