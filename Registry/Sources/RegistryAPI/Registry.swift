import Logging
import RegistryModel
import RegistryStore
import SignIn

/// What every route works with.
public struct Registry: Sendable {
  /// What keeps everything.
  public let store: any RegistryStore
  /// What knows who sends a request.
  public let signIn: any SignInService
  /// What time it is.
  public let clock: RegistryClock
  /// What the operator decided.
  public let settings: RegistrySettings
  /// Holds callers to their limits: `try registry.limiter.charge(.share, context)`.
  package let limiter: RateLimiter
  /// Knows whose forks were counted today.
  package let countedForks: CountedForks
  /// Counts what is done.
  package let metrics: RegistryMetrics
  /// Told of every request that was answered, for the log; called on the request's own task, so it must not wait.
  package var onRequest: @Sendable (RequestRecord) -> Void = { _ in }

  /// Puts the parts together.
  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock)
    countedForks = CountedForks(clock: clock)
    metrics = RegistryMetrics(clock: clock)
  }
}
