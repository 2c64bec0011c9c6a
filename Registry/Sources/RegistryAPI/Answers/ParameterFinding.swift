import JSONText
import Publishing

/// The reason why a query parameter is not accepted.
public struct ParameterFinding: Sendable, Equatable {
  /// The parameter's name, as the documentation spells it.
  public let parameter: String
  /// The finding; its pointer is empty, because a query is not JSON.
  public let finding: IntakeFinding

  /// Makes a finding.
  public init(_ parameter: String, code: String = "REG0101", message: String, why: String, fix: String) {
    self.parameter = parameter
    finding = IntakeFinding(code: code, pointer: JSONPointer(), message: message, why: why, fix: fix)
  }
}
