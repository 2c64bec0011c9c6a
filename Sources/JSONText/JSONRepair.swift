/// Makes JSON of a text that is nearly JSON: a quote or bracket lost, bytes overwritten, cut off, commas too many,
/// control characters in strings, broken UTF-8 or escapes, words of other languages.
///
/// Nothing is invented: what is there is kept, what is missing stays missing, open brackets are closed. Used on
/// damaged content, beside the original, never instead of it.
///
/// Where the text cannot be read on, all changes of one byte shortly before that place are tried, and the one is made
/// after which the text reads best. If none helps, the bytes up to the next member, object or array are left out.
/// Time is linear in the text; memory is about four times its length.
public enum JSONRepair {
  /// The repaired text.
  public struct Result: Sendable, Equatable {
    /// Text that the strict parser takes, unless it nests too deep or has too many combining marks.
    public let text: [UInt8]
    /// The places that were damaged, in order.
    public let damages: [Damage]
    /// Whether everything in the original is in the result.
    public let isComplete: Bool
  }

  /// A place where the text was damaged.
  public struct Damage: Sendable, Equatable {
    /// What is no longer there.
    public enum Loss: Sendable, Equatable {
      /// Nothing: a bracket, comma, colon or quote was put back.
      case nothing
      /// The value was unreadable; null is in its place.
      case value
      /// Letters of the text: U+FFFD is in place of bytes or escapes that are no letters.
      case letters
      /// The end.
      case ending
      /// So many bytes were left out; a part of the value around them is missing.
      case bytes(Int)
      /// An element of the array: too little of it was left to say which one it was.
      case element
    }

    /// The innermost value of the result around the damage.
    public let pointer: JSONPointer
    /// Where the damage begins in the original, in bytes; approximate behind an earlier damage.
    public let offset: Int
    /// What is no longer there.
    public var loss: Loss
  }

  /// Repairs `text`; nil when there is no array, object or string at its start.
  public static func repair(
    _ text: UnsafeBufferPointer<UInt8>, expecting outline: JSONOutline = .anything
  ) -> Result? {
    guard text.count < JSONLimits.textLength else { return nil }
    var repairer = JSONRepairer(text, outline)
    return repairer.run()
  }
}

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
