import FleetKitCore
import JSONSchema
import Validation

extension Diagnostic {
  /// What a schema says about a value, as a finding.
  /// - Parameter schema: how the place in the schema is called.
  init(
    _ violation: SchemaViolation, at located: LocatedPlace, record: String?, title: String?,
    schema: (String) -> String = SchemaFile.shown
  ) {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let others = violation.otherAlternatives
    let more = others > 0 ? "; \(others) other alternative\(others == 1 ? "" : "s")" : ""
    let reason = violation.reason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? code.why
    self.init(
      code, violation.message, at: located.place, record: record, title: title, fix: violation.fix,
      why: "\(reason) (\(schema(violation.schemaLocation))\(more))", label: violation.found, excerpt: located.excerpt)
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
