import ProjectConfiguration
import FleetKitCore
import Validation

/// Every kind of finding that FleetKit reports.
public enum FindingCodes {
  /// All codes, by family and number.
  public static let all: [DiagnosticCode] =
    DiagnosticCode.all + DiagnosticCode.configuration + SchemaCodes.all + RuleSet.codes
}
