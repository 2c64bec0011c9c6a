import Interchange

extension RegistryError {
  /// Returns the error as a run failure.
  /// - Parameters:
  ///   - doing: the action that failed: `sign in to https://sail.example.org`.
  ///   - address: the registry that was called, for advice on signing in; nil where the message contains it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch self {
    case .broken where Interruption.isRequested: RunFailure(.interrupted, "\(doing): interrupted")
    case .unreachable(let words), .timedOut(let words), .broken(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Try again later; nothing is lost.")
    case .insecure(let words, let advice): RunFailure(.unreachable, "\(doing): \(words)", advice: advice)
    case .unreadable(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Check that the address is the registry's.")
    case .signInNeeded(let words):
      RunFailure(.signInNeeded, "\(doing): \(words)", advice: RegistryRefusal.signIn(to: address))
    case .refused(let refusal): refusal.failure(doing, at: address)
    }
  }
}

extension RegistryRefusal {
  /// The registry's reason as part of a sentence: without its full stop and its advice, because callers add their own
  /// advice.
  package var reason: String {
    var text = detail[...]
    func trim() { while let last = text.last, last == "." || last == " " { text.removeLast() } }
    trim()
    switch status {
    case 401:
      for advice in [". Sign in again", ": sign in again"] where text.hasSuffix(advice) {
        text.removeLast(advice.count)
      }
    case 429, 503:
      if let advice = text.range(of: ". Try again in ", options: .backwards) { text = text[..<advice.lowerBound] }
    default: break
    }
    trim()
    return String(text)
  }

  /// Returns the error as a run failure.
  /// - Parameter address: the registry that was called; nil where the message contains it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch status {
    case 401: return RunFailure(.signInNeeded, "\(doing): \(reason)", advice: Self.signIn(to: address))
    case 429, 500...599:
      let wait = retryAfter.map { "Try again in \(Int(min($0, 1_000_000).rounded(.up))) s." } ?? "Try again later."
      return RunFailure(.unreachable, "\(doing): \(reason)", advice: wait)
    default:
      let places = findings.prefix(3).map { "\($0.pointer.isEmpty ? "" : $0.pointer + " ")\($0.message)" }
      return RunFailure(.failed, "\(doing): \(detail)\(places.isEmpty ? "" : " (\(places.joined(separator: "; ")))")")
    }
  }

  static func signIn(to address: String?) -> String {
    "Sign in with: fleetkit login --registry \(address ?? "URL")"
  }
}
