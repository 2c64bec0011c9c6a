import Diagnostics
import JSONText

/// Something that the canonicaliser had to say about a value: what, and where inside the text it was given.
package struct CanonicalIssue {
  package let code: DiagnosticCode
  package let message: String
  /// Path from the value that was given to the canonicaliser.
  package let pointer: JSONPointer
  /// Byte offset of the value in the text.
  package let offset: Int
  /// How much it matters here, when that differs from the code's own severity.
  package let severity: Severity?
}
