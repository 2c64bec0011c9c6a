import Interchange

extension RegistryError {
  /// The same as a failure of a run.
  /// - Parameters:
  ///   - doing: what could not be done: `sign in to https://sail.example.org`.
  ///   - address: the registry that was asked, for who has to sign in to it; nil where the message says it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch self {
    case .unreachable(let words), .timedOut(let words), .broken(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Try again later; nothing is lost.")
    case .unreadable(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Check that the address is the registry's.")
    case .signInNeeded(let words):
      RunFailure(.signInNeeded, "\(doing): \(words)", advice: RegistryRefusal.signIn(to: address))
    case .refused(let refusal): refusal.failure(doing, at: address)
    }
  }
}

extension RegistryRefusal {
  /// The same as a failure of a run.
  /// - Parameter address: the registry that was asked; nil where the message says it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch status {
    case 401: return RunFailure(.signInNeeded, "\(doing): \(detail)", advice: Self.signIn(to: address))
    case 429, 500...599:
      let wait = retryAfter.map { "Try again in \(Int(min($0, 1_000_000).rounded(.up))) s." } ?? "Try again later."
      return RunFailure(.unreachable, "\(doing): \(detail)", advice: wait)
    default:
      let places = findings.prefix(3).map { "\($0.pointer.isEmpty ? "" : $0.pointer + " ")\($0.message)" }
      return RunFailure(.failed, "\(doing): \(detail)\(places.isEmpty ? "" : " (\(places.joined(separator: "; ")))")")
    }
  }

  fileprivate static func signIn(to address: String?) -> String {
    "Sign in with: fleetkit login --registry \(address ?? "URL")"
  }
}
