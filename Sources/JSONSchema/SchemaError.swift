import JSONText

/// Why a schema cannot be used, and where in its document that is.
public struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A spot in a schema document.
  public struct Place: Equatable, Sendable {
    /// The URI of the document, as `SchemaSet.add` answered it or as it was asked for.
    public let uri: String
    /// The path to the value.
    public let pointer: JSONPointer
    /// The value's first byte in the document; 0 when the document itself is missing.
    public let offset: Int

    /// Makes a place.
    public init(uri: String, pointer: JSONPointer = JSONPointer(), offset: Int = 0) {
      self.uri = uri
      self.pointer = pointer
      self.offset = offset
    }
  }

  /// What is wrong, in one sentence.
  public let message: String
  /// What to do about it.
  public let advice: String?
  /// Where it is.
  public let place: Place
  /// The URI of the document that a reference leads to and nobody gave; nil for every other error.
  public let missing: String?
  /// Whether the schema is right, as far as it was read, and larger than what is compiled.
  public let isTooLarge: Bool

  /// Makes an error.
  public init(
    _ message: String, advice: String? = nil, at place: Place, missing: String? = nil, isTooLarge: Bool = false
  ) {
    self.isTooLarge = isTooLarge
    self.missing = missing
    self.message = message
    self.advice = advice
    self.place = place
  }

  /// Place, message and advice on one line.
  public var description: String {
    "\(place.uri)#\(place.pointer): \(message)" + (advice.map { "; \($0)" } ?? "")
  }
}
