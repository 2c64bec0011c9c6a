import Diagnostics

// Readers that follow links themselves use the same codes as these rules, so that a rule's configuration and a baseline
// apply to both.
extension DiagnosticCode {
  /// A link that leads nowhere.
  package static var deadLink: DiagnosticCode { NoDeadLinks.code }
  /// A picture that is missing.
  package static var missingImage: DiagnosticCode { NoMissingImages.code }
}
