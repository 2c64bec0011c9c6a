import Logging
import RegistryModel
import RegistryStore
import SignIn

/// What every route works with.
public struct Registry: Sendable {
  public let store: any RegistryStore
  public let signIn: any SignInService
  public let clock: RegistryClock
  public let settings: RegistrySettings
  /// Holds callers to their limits: `try registry.limiter.charge(.share, context)`.
  package let limiter: RateLimiter
  /// Counts what is done.
  package let metrics: RegistryMetrics
  /// Told of every request that was answered, for the log; called on the request's own task, so it must not wait.
  package var onRequest: @Sendable (RequestRecord) -> Void = { _ in }

  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock)
    metrics = RegistryMetrics(clock: clock)
  }
}
