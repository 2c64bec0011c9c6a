/// Why an XML text cannot be used, and where.
package struct XMLProblem: Error, Sendable, CustomStringConvertible {
  /// The message for people.
  package let message: String
  /// Line from 1.
  package let line: Int
  /// Column in Unicode scalars from 1.
  package let column: Int
  /// Whether the text is well formed so far but exceeds a limit.
  package let isRefusal: Bool

  /// The place followed by the message.
  package var description: String { "\(line):\(column): \(message)" }
}
