import JSONText

/// A violation of a schema's rule by a value, with its exact place in the schema and in the value.
public struct SchemaViolation: Sendable, Equatable {
  /// The violated keyword, such as `type` or `required`.
  public let keyword: String
  /// A message in plain terms, such as `'duration' must be a whole number`.
  public let message: String
  /// A short description of the value for the label under a code frame, such as `string` or `7 items`.
  public let found: String
  /// The path from the validated value to the offending value.
  public let pointer: JSONPointer
  /// The byte range of the offending value in the text of the validated value. For a member that is not allowed or has
  /// a wrong name, this is the range of the name.
  public let span: Range<Int>
  /// The keyword's absolute URI with a JSON pointer as its fragment.
  public let schemaLocation: String
  /// The schema's `description` for such a value; nil if the schema has no description.
  public let reason: String?
  /// Advice on correcting the value; nil if no advice is available.
  public let fix: String?
  /// The number of other alternatives in an `anyOf` or `oneOf` that did not match either.
  public let otherAlternatives: Int
}
