import JSONText

/// One rule of a schema that a value breaks, with its exact place on both sides.
public struct SchemaViolation: Sendable, Equatable {
  /// The keyword that was broken: `type`, `required` …
  public let keyword: String
  /// What is wrong, in plain words: `'duration' must be a whole number`.
  public let message: String
  /// A few words on what stands there, for the label under a code frame: `string`, `7 items`.
  public let found: String
  /// The path from the validated value to the offending one.
  public let pointer: JSONPointer
  /// Bytes of the offending value in the text of the validated value. For a member that should not be there, or whose
  /// name is wrong, the bytes of the name.
  public let span: Range<Int>
  /// The keyword's absolute URI with a JSON pointer as its fragment.
  public let schemaLocation: String
  /// What the schema says about such a value, its `description`; nil when it says nothing.
  public let reason: String?
  /// What would put it right, where that can be said.
  public let fix: String?
  /// How many further alternatives of an `anyOf` or `oneOf` did not fit either.
  public let otherAlternatives: Int
}
