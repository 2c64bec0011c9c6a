import FleetKitCore
import JSONSchema
import Validation

extension Diagnostic {
  /// What a schema says about a value, as a finding.
  init(_ violation: SchemaViolation, at located: LocatedPlace, record: String?, title: String?) {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let others = violation.otherAlternatives
    let more = others > 0 ? "; \(others) other alternative\(others == 1 ? "" : "s")" : ""
    self.init(
      code, violation.message, at: located.place, record: record, title: title, fix: violation.fix,
      why: "\(code.why) (\(violation.schemaLocation)\(more))", label: violation.found, excerpt: located.excerpt)
  }

  /// The finding with another severity.
  func with(severity: Severity) -> Diagnostic {
    Diagnostic(
      code, message, at: place, record: record, title: title, severity: severity, fix: fix, why: why, label: label,
      excerpt: excerpt)
  }

  /// The finding at a more exact place.
  func located(_ located: LocatedPlace) -> Diagnostic {
    Diagnostic(
      code, message, at: located.place, record: record, title: title, severity: severity, fix: fix, why: why,
      label: label, excerpt: located.excerpt ?? excerpt)
  }
}

extension SchemaViolation {
  /// Whether the name of the member is wrong, and not its value.
  var isAboutName: Bool {
    ["additionalProperties", "unevaluatedProperties", "propertyNames"].contains(keyword)
  }
}
