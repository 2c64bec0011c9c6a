/// What a proof looked at, when it held: what was written was read back and says what the source says.
public struct ProofSummary: Sendable, Equatable {
  /// How many records were compared with the source.
  public var records = 0
  /// How many values of theirs were compared.
  public var fields = 0
  /// How many losses the run listed.
  public var losses = 0
  /// How many differences the losses explain.
  public var explained = 0
  /// How many differences are the format's own way of saying the same, by what the format's page says of it.
  public var normalised: [String: Int] = [:]
  /// How many records the target has from elsewhere: a vault, or a library, that was there before.
  public var others = 0
  /// How many differences nothing explains; 0 when the proof holds.
  public var differences = 0

  /// Makes an empty summary.
  public init() {}

  /// Whether nothing contradicts the source.
  public var holds: Bool { differences == 0 }
}
