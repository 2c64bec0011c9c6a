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
  public let limiter: RateLimiter

  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
    limiter = RateLimiter(limits: settings.limits, isEnabled: settings.limitsRates, clock: clock)
  }
}
