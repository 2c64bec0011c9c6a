/// A parsed JSON text that owns its bytes and tokens. Use it to keep values safely.
///
/// A document does not change after parsing, so threads can share it.
public final class JSONDocument: Sendable {
  private let bytes: ByteBuffer
  private let tape: JSONTape
  private let rootIndex: Int
  /// The traits of the text that the parser found.
  public let traits: JSONTextTraits

  private init(owning bytes: consuming ByteBuffer) throws(JSONError) {
    var tape = JSONTape(capacity: bytes.count / 8 + 16)
    let parse = try tape.parse(bytes.bytes.span)
    self.bytes = bytes
    self.tape = tape
    rootIndex = parse.root
    traits = parse.traits
  }

  /// Parses a copy of `text`.
  /// - Throws: `JSONError` with the offset of the first invalid byte.
  public convenience init(parsing text: Span<UInt8>) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.count)
    copy.append(text)
    try self.init(owning: copy)
  }

  /// Parses the UTF-8 of `text`.
  /// - Throws: `JSONError` with the offset of the first invalid byte.
  public convenience init(parsing text: String) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.utf8.count)
    copy.append(utf8: text)
    try self.init(owning: copy)
  }

  /// Parses `text`.
  /// - Throws: `JSONError` with the offset of the first invalid byte.
  public convenience init(parsing text: [UInt8]) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.count)
    copy.append(text.span)
    try self.init(owning: copy)
  }

  /// The outermost value.
  public var root: JSONValue { JSONValue(document: self, index: rootIndex) }

  /// Passes the value at a token index to `body`; the node is valid only inside `body`.
  package func withNode<Result>(_ index: Int, _ body: (JSONNode) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(JSONNode(text: bytes.start, tokens: tape.tokens, index: index))
  }

  /// Passes the outermost value to `body`; the node is valid only inside `body`.
  public func withRoot<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result {
    try withNode(rootIndex, body)
  }

  /// The outermost value, in place; valid as long as the document.
  private var rootNode: JSONNode { JSONNode(text: bytes.start, tokens: tape.tokens, index: rootIndex) }

  /// Passes the text to `body`.
  public func withText<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try body(bytes.bytes.span)
  }

  /// Returns the line and column of a byte offset.
  public func position(ofByte offset: Int) -> TextPosition { TextPosition(offset: offset, in: bytes.bytes.span) }

  /// Returns the range of a part of the value at `pointer`, in bytes of the text.
  ///
  /// If the document has no value there, returns the range of the innermost value that contains the position: a default
  /// that was filled in has no position in the text.
  public func span(of pointer: JSONPointer, part: ValuePart = .value) -> Range<Int> {
    var index = ChildIndex()
    return span(of: pointer, part: part, using: &index)
  }

  /// Returns the same range as `span(of:part:)`, but reuses results of earlier queries about the same document.
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

/// A value in a `JSONDocument`, with its kind, content and exact position in the text.
public struct JSONValue: Sendable {
  let document: JSONDocument
  let index: Int
  /// The index of the value's token, for `JSONDocument.withNode`.
  package var tokenIndex: Int { index }

  /// Passes the value in place to `body`; the node is valid only inside `body`.
  package func withNode<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result {
    try document.withNode(index, body)
  }

  /// The kind of the value.
  public var kind: JSONToken.Kind { document.withNode(index) { $0.kind } }
  /// The range of the value, in bytes from the start of the text, quotes and brackets included.
  public var span: Range<Int> { document.withNode(index) { $0.span } }
  /// The line and column of the value's first byte.
  public var position: TextPosition { document.position(ofByte: span.lowerBound) }
  /// The value as it is written in the text.
  public var text: String { document.withNode(index) { String(decoding: $0.raw, as: UTF8.self) } }

  /// The text of a string with escapes resolved; nil for any other kind.
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

  /// The last member with the given name, or nil if there is no such member.
  public subscript(name: String) -> JSONValue? {
    at(JSONPointer([.member(name)]))
  }

  /// The element at `position`, or nil if there is no such element.
  public subscript(position: Int) -> JSONValue? {
    kind == .array ? at(JSONPointer([.element(position)])) : nil
  }

  /// Returns the value that `pointer` finds from this value, or nil if there is no such value.
  public func at(_ pointer: JSONPointer) -> JSONValue? {
    document.withNode(index) { node in
      node.value(at: pointer).map { JSONValue(document: document, index: $0.index) }
    }
  }

  /// Returns whether two values are equivalent: member order, escapes, white space and the spelling of numbers are
  /// ignored.
  public func means(_ other: JSONValue) -> Bool {
    document.withNode(index) { mine in other.document.withNode(other.index) { mine.means($0) } }
  }

  /// The first member name, at any depth, that occurs twice in its object, with its position; nil if all names are
  /// unique.
  public var duplicateName: JSONValue? {
    document.withNode(index) { node in
      node.duplicateName.map { JSONValue(document: document, index: $0.index) }
    }
  }
}
