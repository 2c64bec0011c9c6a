import Diagnostics

// Readers that follow links themselves say the same as the rules, under the same codes: who configures a rule or writes
// a baseline need not know who looked.
extension DiagnosticCode {
  /// A link that leads nowhere.
  package static var deadLink: DiagnosticCode { NoDeadLinks.code }
  /// A picture that is not there.
  package static var missingImage: DiagnosticCode { NoMissingImages.code }
}
