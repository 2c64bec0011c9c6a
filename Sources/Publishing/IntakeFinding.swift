import Diagnostics
import JSONText

/// A reason why a request is not accepted: one finding with its exact place in the request's body.
public struct IntakeFinding: Sendable, Equatable {
  /// The stable code, `PUB0104`.
  public let code: String
  /// The member with the problem, as a path from the body's outermost value.
  public let pointer: JSONPointer
  /// The problem, in one sentence.
  public let message: String
  /// Why the problem matters.
  public let why: String
  /// How to solve the problem.
  public let fix: String

  /// Makes a finding.
  public init(code: String, pointer: JSONPointer, message: String, why: String, fix: String) {
    self.code = code
    self.pointer = pointer
    self.message = message
    self.why = why
    self.fix = fix
  }
}
