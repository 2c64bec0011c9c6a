import Synchronization

/// Collects the findings of a run: counts all of them, keeps the first ones of every kind in full.
///
/// Memory is bounded by the number of codes, not by the content; the cap changes what is shown, never what
/// is counted. Safe to use from several threads.
public final class DiagnosticLog: Sendable {
  private struct State {
    var kept: [Diagnostic] = []
    var counts: [DiagnosticCode: Int] = [:]
    var severities: [Severity: Int] = [:]
  }

  private let state = Mutex(State())
  /// How many findings of one code are kept in full.
  public let keepPerCode: Int

  /// Makes an empty log.
  public init(keepPerCode: Int = 500) { self.keepPerCode = keepPerCode }

  /// Adds a finding.
  public func report(_ diagnostic: Diagnostic) {
    state.withLock { state in
      let seen = state.counts[diagnostic.code, default: 0]
      state.counts[diagnostic.code] = seen + 1
      state.severities[diagnostic.severity, default: 0] += 1
      if seen < keepPerCode { state.kept.append(diagnostic) }
    }
  }

  /// The findings that were kept, in the order of their arrival.
  public var kept: [Diagnostic] { state.withLock { $0.kept } }

  /// Takes out what was kept and forgets all counts: for logs that serve one record after the other.
  package func drain() -> [Diagnostic] {
    state.withLock { state in
      let kept = state.kept
      if !kept.isEmpty { state = State() }
      return kept
    }
  }

  /// The findings of one code.
  public func only(_ code: DiagnosticCode) -> DiagnosticLog {
    let log = DiagnosticLog(keepPerCode: keepPerCode)
    for finding in kept where finding.code == code { log.report(finding) }
    return log
  }

  /// How many findings of a severity there were.
  public func count(_ severity: Severity) -> Int { state.withLock { $0.severities[severity, default: 0] } }

  /// How many findings there were.
  public var total: Int { state.withLock { $0.severities.values.reduce(0, +) } }

  /// How many findings of each code there were.
  public var counts: [DiagnosticCode: Int] { state.withLock { $0.counts } }

  /// The most severe finding, or nil when there is none.
  public var worst: Severity? { state.withLock { $0.severities.keys.max() } }
}
