import JSONText

/// A violation of a schema's rule by a value, with its exact place in both.
public struct SchemaViolation: Sendable, Equatable {
  /// The violated keyword: `type`, `required` …
  public let keyword: String
  /// What is wrong, in plain words: `'duration' must be a whole number`.
  public let message: String
  /// A few words about the value, for the label under a code frame: `string`, `7 items`.
  public let found: String
  /// The path from the validated value to the offending one.
  public let pointer: JSONPointer
  /// The bytes of the offending value in the text of the validated value. For a member that is not allowed, or has a
  /// wrong name, the bytes of the name.
  public let span: Range<Int>
  /// The keyword's absolute URI with a JSON pointer as its fragment.
  public let schemaLocation: String
  /// The schema's `description` of such a value; nil if there is none.
  public let reason: String?
  /// How to correct the value, if this is known.
  public let fix: String?
  /// The number of further alternatives of an `anyOf` or `oneOf` that did not match either.
  public let otherAlternatives: Int
}
