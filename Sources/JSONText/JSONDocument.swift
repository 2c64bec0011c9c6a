/// A parsed JSON text that owns its bytes and tokens; the safe way to keep values.
///
/// Immutable after parsing, so it can be shared between threads.
public final class JSONDocument: Sendable {
  private let bytes: ByteBuffer
  private let tape: JSONTape
  private let rootIndex: Int
  /// What the parser noticed about the text.
  public let traits: JSONTextTraits

  private init(owning bytes: consuming ByteBuffer) throws(JSONError) {
    var tape = JSONTape(capacity: bytes.count / 8 + 16)
    let parse = try tape.parse(bytes.bytes)
    self.bytes = bytes
    self.tape = tape
    rootIndex = parse.root
    traits = parse.traits
  }

  /// Parses a copy of `text`.
  /// - Throws: `JSONError` with the offset of the first byte that cannot be.
  public convenience init(parsing text: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.count)
    copy.append(text)
    try self.init(owning: copy)
  }

  /// Parses the UTF-8 of `text`.
  /// - Throws: `JSONError` with the offset of the first byte that cannot be.
  public convenience init(parsing text: String) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.utf8.count)
    copy.append(utf8: text)
    try self.init(owning: copy)
  }

  /// Parses `text`.
  /// - Throws: `JSONError` with the offset of the first byte that cannot be.
  public convenience init(parsing text: [UInt8]) throws(JSONError) {
    var copy = ByteBuffer(capacity: text.count)
    text.withUnsafeBufferPointer { copy.append($0) }
    try self.init(owning: copy)
  }

  /// The outermost value.
  public var root: JSONValue { JSONValue(document: self, index: rootIndex) }

  /// Lends the value at a token index; the node is valid only inside `body`.
  package func withNode<Result>(_ index: Int, _ body: (JSONNode) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(JSONNode(text: bytes.start, tokens: tape.tokens, index: index))
  }

  /// Lends the outermost value; the node is valid only inside `body`.
  public func withRoot<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result {
    try withNode(rootIndex, body)
  }

  /// The outermost value, in place; valid while the document lives.
  var rootNode: JSONNode { JSONNode(text: bytes.start, tokens: tape.tokens, index: rootIndex) }

  /// Lends the text.
  public func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(bytes.bytes)
  }

  /// Line and column of a byte offset.
  public func position(ofByte offset: Int) -> TextPosition { TextPosition(offset: offset, in: bytes.bytes) }
}
