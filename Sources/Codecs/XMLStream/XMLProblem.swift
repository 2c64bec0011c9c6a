/// Why an XML text cannot be used, and where.
package struct XMLProblem: Error, Sendable, CustomStringConvertible {
  /// What is wrong, for people.
  package let message: String
  /// Line from 1.
  package let line: Int
  /// Column in Unicode scalars from 1.
  package let column: Int
  /// Whether it is well formed so far, but asks for more than is allowed.
  package let isRefusal: Bool

  /// The problem behind its place.
  package var description: String { "\(line):\(column): \(message)" }
}
