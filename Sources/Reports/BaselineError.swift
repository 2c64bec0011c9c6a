/// Why a file cannot serve as a baseline.
public enum BaselineError: Error, Equatable, CustomStringConvertible {
  /// The text is not JSON; with the parser's reason.
  case notJSON(String)
  /// It is JSON, but no baseline.
  case notABaseline
  /// Another version of the format.
  case otherVersion(Int64)
  /// Something in it is wrong; with what.
  case malformed(String)

  /// The reason in words.
  public var description: String {
    switch self {
    case .notJSON(let reason): "the baseline is not JSON: \(reason)"
    case .notABaseline: "this is no baseline; its \"format\" would be \"\(Baseline.format)\""
    case .otherVersion(let version):
      "the baseline has version \(version); this FleetKit reads version \(Baseline.version)"
    case .malformed(let reason): "the baseline is damaged: \(reason)"
    }
  }
}
