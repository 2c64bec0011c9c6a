import Synchronization

/// Explanations in the order in which they were made; kept only for runs that print them.
public final class ExplanationLog: Sendable {
  private let state = Mutex<[Explanation]>([])

  /// Makes an empty log.
  public init() {}

  /// Adds an explanation.
  public func add(_ explanation: Explanation) { state.withLock { $0.append(explanation) } }

  /// All of them.
  public var all: [Explanation] { state.withLock { $0 } }
}
