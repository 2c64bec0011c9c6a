import Interchange

extension RegistryError {
  /// The same as a failure of a run.
  /// - Parameter doing: what could not be done: `sign in to https://sail.example.org`.
  public func failure(_ doing: String) -> RunFailure {
    switch self {
    case .unreachable(let words), .timedOut(let words), .broken(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Try again later; nothing is lost.")
    case .unreadable(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Check that the address is the registry's.")
    case .signInNeeded(let words):
      RunFailure(.signInNeeded, "\(doing): \(words)", advice: "Sign in with: fleetkit login --registry URL")
    case .refused(let refusal): refusal.failure(doing)
    }
  }
}

extension RegistryRefusal {
  /// The same as a failure of a run.
  public func failure(_ doing: String) -> RunFailure {
    switch status {
    case 401:
      return RunFailure(.signInNeeded, "\(doing): \(detail)", advice: "Sign in with: fleetkit login --registry URL")
    case 429, 500...599:
      let wait = retryAfter.map { "Try again in \(Int(min($0, 1_000_000).rounded(.up))) s." } ?? "Try again later."
      return RunFailure(.unreachable, "\(doing): \(detail)", advice: wait)
    default:
      let places = findings.prefix(3).map { "\($0.pointer.isEmpty ? "" : $0.pointer + " ")\($0.message)" }
      return RunFailure(.failed, "\(doing): \(detail)\(places.isEmpty ? "" : " (\(places.joined(separator: "; ")))")")
    }
  }
}
