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

  public init(
    store: any RegistryStore, signIn: any SignInService, clock: RegistryClock = .system, settings: RegistrySettings
  ) {
    self.store = store
    self.signIn = signIn
    self.clock = clock
    self.settings = settings
  }
}
