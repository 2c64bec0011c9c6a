import FleetKitCore

/// What was written does not say what the source says.
public struct ProofFailure: Error, Sendable {
  /// The numbers.
  public let summary: ProofSummary
  /// The first differences, with their places.
  public let differences: [Diagnostic]
  /// How the run ends, with status 5, and what became of the target.
  public let failure: RunFailure
}
