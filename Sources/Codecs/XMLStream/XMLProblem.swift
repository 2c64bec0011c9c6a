/// The reason why an XML text cannot be used, and its position.
package struct XMLProblem: Error, Sendable, CustomStringConvertible {
  /// The message for the user.
  package let message: String
  /// The line, counted from 1.
  package let line: Int
  /// The column in Unicode scalars, counted from 1.
  package let column: Int
  /// Whether the text is well-formed so far but exceeds a limit.
  package let isRefusal: Bool

  /// The position followed by the message.
  package var description: String { "\(line):\(column): \(message)" }
}
