/// The reason why a text is not an ECMA-262 regular expression.
public struct RegexSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A message in one sentence without a full stop.
  public let message: String
  /// The offset in Unicode scalars from the start of the pattern.
  public let offset: Int

  /// Creates an error at an offset in Unicode scalars.
  public init(message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The message with its position.
  public var description: String { "\(message) (at character \(offset + 1))" }
}
