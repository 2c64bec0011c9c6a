import Diagnostics
import JSONText

/// A reason why a request is not accepted: one finding at its exact place in the request's body.
public struct IntakeFinding: Sendable, Equatable {
  /// The stable code, `PUB0104`.
  public let code: String
  /// The member with the problem, from the body's outermost value.
  public let pointer: JSONPointer
  /// What was found, in one sentence.
  public let message: String
  /// Why it matters.
  public let why: String
  /// What to do.
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
