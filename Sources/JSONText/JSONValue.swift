/// One value of a `JSONDocument`: knows its kind, its content and its exact place in the text.
public struct JSONValue: Sendable {
  let document: JSONDocument
  let index: Int
  /// Index of the value's token, for `JSONDocument.withNode`.
  package var tokenIndex: Int { index }

  /// Lends the value in place; the node is valid only inside `body`.
  package func withNode<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result {
    try document.withNode(index, body)
  }

  /// What the value is.
  public var kind: JSONToken.Kind { document.withNode(index) { $0.kind } }
  /// Where the value stands, in bytes from the start of the text, quotes and brackets included.
  public var span: Range<Int> { document.withNode(index) { $0.span } }
  /// Line and column of the value's first byte.
  public var position: TextPosition { document.position(ofByte: span.lowerBound) }
  /// The value as it was written.
  public var text: String { document.withNode(index) { String(decoding: $0.raw, as: UTF8.self) } }

  /// The text of a string, escapes resolved; nil for any other kind.
  public var string: String? { document.withNode(index) { $0.string } }
  /// True or false; nil for any other kind.
  public var bool: Bool? { document.withNode(index) { $0.bool } }
  /// A whole number that fits in 64 bits; nil for any other value.
  public var integer: Int64? { document.withNode(index) { $0.integer } }
  /// A number as floating point; nil for any other kind.
  public var double: Double? { document.withNode(index) { $0.double } }
  /// Whether the value is null.
  public var isNull: Bool { kind == .null }

  /// The elements of an array, empty for any other kind.
  public var elements: [JSONValue] {
    document.withNode(index) { node in
      var all: [JSONValue] = []
      node.forEachElement { all.append(JSONValue(document: document, index: $0.index)) }
      return all
    }
  }

  /// The members of an object in source order, duplicates included; empty for any other kind.
  public var members: [(name: String, value: JSONValue)] {
    document.withNode(index) { node in
      var all: [(name: String, value: JSONValue)] = []
      node.forEachMember { name, value in
        all.append((name.string ?? "", JSONValue(document: document, index: value.index)))
      }
      return all
    }
  }

  /// The last member called `name`, or nil.
  public subscript(name: String) -> JSONValue? {
    at(JSONPointer([.member(name)]))
  }

  /// The element at `position`, or nil.
  public subscript(position: Int) -> JSONValue? {
    kind == .array ? at(JSONPointer([.element(position)])) : nil
  }

  /// The value that `pointer` leads to from here, or nil.
  public func at(_ pointer: JSONPointer) -> JSONValue? {
    document.withNode(index) { node in
      node.value(at: pointer).map { JSONValue(document: document, index: $0.index) }
    }
  }

  /// Whether two values mean the same: member order, escapes, white space and number spelling do not count.
  public func means(_ other: JSONValue) -> Bool {
    document.withNode(index) { mine in other.document.withNode(other.index) { mine.means($0) } }
  }

  /// The first member name anywhere inside that its object holds twice, with its place; nil when there is none.
  public var duplicateName: JSONValue? {
    document.withNode(index) { node in
      node.duplicateName.map { JSONValue(document: document, index: $0.index) }
    }
  }
}
