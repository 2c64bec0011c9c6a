import JSONText

/// The reason why a schema cannot be used, with the place of the error.
public struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A place in a schema document.
  public struct Place: Equatable, Sendable {
    /// The URI of the document, as returned by `SchemaSet.add` or as requested.
    public let uri: String
    /// The path to the value.
    public let pointer: JSONPointer
    /// The offset of the value's first byte in the document; 0 if the document is missing.
    public let offset: Int

    /// Creates a place.
    public init(uri: String, pointer: JSONPointer = JSONPointer(), offset: Int = 0) {
      self.uri = uri
      self.pointer = pointer
      self.offset = offset
    }
  }

  /// A message that describes the error in one sentence.
  public let message: String
  /// Advice on correcting the error; nil if no advice is available.
  public let advice: String?
  /// The place of the error.
  public let place: Place
  /// The URI of a missing document that a reference needs; nil for all other errors.
  public let missing: String?
  /// Whether the schema is correct as far as it was read but exceeds the limits.
  public let isTooLarge: Bool

  /// Creates an error.
  public init(
    _ message: String, advice: String? = nil, at place: Place, missing: String? = nil, isTooLarge: Bool = false
  ) {
    self.isTooLarge = isTooLarge
    self.missing = missing
    self.message = message
    self.advice = advice
    self.place = place
  }

  /// The place, message and advice on one line.
  public var description: String {
    "\(place.uri)#\(place.pointer): \(message)" + (advice.map { "; \($0)" } ?? "")
  }
}
