import JSONText
import Publishing

/// Why a parameter of a query is not taken.
public struct ParameterFinding: Sendable, Equatable {
  /// The parameter's name, as the documents call it.
  public let parameter: String
  /// The finding; its pointer is empty, for a query is no JSON.
  public let finding: IntakeFinding

  /// Makes a finding.
  public init(_ parameter: String, code: String = "REG0101", message: String, why: String, fix: String) {
    self.parameter = parameter
    finding = IntakeFinding(code: code, pointer: JSONPointer(), message: message, why: why, fix: fix)
  }
}
