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
  /// What to do here, when that is more exact than the code's own advice.
  package var fix: String?
  /// Bytes from the offset on that are meant, all on one line; 0 when nobody knows where they end.
  package var length = 0
}
