import JSONText

/// Why a record cannot be read as a typed value, or a typed value not be written.
public struct ModelError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Path from the record's outermost object to the value, or to where it is missing.
  public let pointer: JSONPointer
  /// What should stand there, in words: `a string`, `a whole number`.
  public let expected: String

  /// Makes an error for the value at `pointer`.
  public init(pointer: JSONPointer, expected: String) {
    self.pointer = pointer
    self.expected = expected
  }

  /// Place and expectation in one line: `/tags/1: expected a string`.
  public var description: String {
    "\(pointer.steps.isEmpty ? "record" : "\(pointer)"): expected \(expected)"
  }
}
