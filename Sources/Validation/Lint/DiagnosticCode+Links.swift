import Diagnostics

// Readers that follow links themselves report them under the same codes as the rules, so that the configuration of a
// rule and a baseline cover both.
extension DiagnosticCode {
  /// A link that leads nowhere.
  package static var deadLink: DiagnosticCode { NoDeadLinks.code }
  /// A picture that is missing.
  package static var missingImage: DiagnosticCode { NoMissingImages.code }
}
