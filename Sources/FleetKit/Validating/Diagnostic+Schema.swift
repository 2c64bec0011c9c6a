import FleetKitCore
import JSONSchema
import Validation

extension Diagnostic {
  /// What a schema says about a value, as a finding.
  init(_ violation: SchemaViolation, at located: LocatedPlace, record: String?, title: String?) {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let others = violation.otherAlternatives
    let more = others > 0 ? "; \(others) other alternative\(others == 1 ? "" : "s")" : ""
    let reason = violation.reason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? code.why
    var schema = violation.schemaLocation
    // Our own schemas are in the documentation; everybody else's are where they say.
    if schema.hasPrefix(EmbeddedSchemas.base) {
      schema = "formats/schemas/" + schema.dropFirst(EmbeddedSchemas.base.count)
    }
    self.init(
      code, violation.message, at: located.place, record: record, title: title, fix: violation.fix,
      why: "\(reason) (\(schema)\(more))", label: violation.found, excerpt: located.excerpt)
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
