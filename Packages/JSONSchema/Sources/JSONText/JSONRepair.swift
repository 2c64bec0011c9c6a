/// Turns a text that is nearly JSON into JSON. The text may have missing quotes or brackets, overwritten bytes, a
/// missing end, extra commas, control characters in strings, broken UTF-8 or escapes, or literals of other languages.
///
/// The repair invents no content: it keeps existing content, leaves missing content missing, and closes open brackets.
/// The result is used in addition to the damaged original, never instead of it.
///
/// Where the text cannot be read, the repair tries all one-byte changes shortly before that position and makes the
/// change after which the text is most readable. If none helps, it leaves out the bytes up to the next member, object
/// or array. The time is linear in the length of the text; the memory use is about four times the length.
public enum JSONRepair {
  /// The repaired text.
  public struct Result: Sendable, Equatable {
    /// The text, which the strict parser accepts unless it nests too deeply or has too many combining marks.
    public let text: [UInt8]
    /// The damage that was found, in order of position.
    public let damages: [Damage]
    /// Whether everything in the original is in the result.
    public let isComplete: Bool
  }

  /// A place where the text was damaged.
  public struct Damage: Sendable, Equatable {
    /// The content that was lost.
    public enum Loss: Sendable, Equatable {
      /// No content was lost: a bracket, comma, colon or quote was restored.
      case nothing
      /// The value was unreadable and was replaced with null.
      case value
      /// Characters of the text were lost: U+FFFD replaces bytes or escapes that are not characters.
      case letters
      /// The end of the text was lost.
      case ending
      /// The given number of bytes was left out; the value around them is incomplete.
      case bytes(Int)
      /// An element of the array was lost, because too little of it was left to identify it.
      case element
    }

    /// The path to the innermost value of the result that contains the damage.
    public let pointer: JSONPointer
    /// The start of the damage in the original, in bytes. The offset is approximate if there is earlier damage.
    public let offset: Int
    /// The content that was lost.
    public var loss: Loss
  }

  /// Repairs `text`. Returns nil if it does not start with an array, object or string.
  public static func repair(
    _ text: Span<UInt8>, expecting outline: JSONOutline = .anything
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
    /// An object with these members. A damaged object without any of the members in `identity` is not kept.
    case object([(name: String, value: Value)], identity: Set<String> = [])
    /// An object whose member names are UUIDs.
    case map(of: Value)
  }

  struct Node {
    enum Kind { case any, text, identifier, boolean, number, array, object, map }
    let kind: Kind
    var names: [[UInt8]] = []
    /// The nodes of the members; for an array or map, the single node of its values.
    var children: [Int32] = []
    /// A bit for each member that identifies an object.
    var identity: UInt64 = 0
  }

  private(set) var nodes: [Node] = [Node(kind: .any)]
  /// The node of the text as a whole.
  private(set) var root: Int32 = 0

  /// An outline that accepts any value.
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
