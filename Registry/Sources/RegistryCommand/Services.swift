import Logging
import RegistryAPI
import RegistryModel
import RegistryStore
import ServiceLifecycle

/// Keeps the store open until everything else has ended, then closes it.
struct StoreService: Service {
  let store: any RegistryStore

  func run() async throws {
    try? await gracefulShutdown()
    // The store is also closed when the time limit of the graceful shutdown has passed and this task is cancelled:
    // waiting views are still written.
    try await Task.detached { try await store.close() }.value
  }
}

/// Drops expired data periodically.
struct SweepService: Service {
  static let pause = Duration.seconds(600)
  let registry: Registry
  let log: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: Self.pause)
        do {
          registry.countedForks.sweep()
          try await registry.store.sweep(at: RegistryClock.system.now())
        } catch {
          log.warning("sweep failed", metadata: ["error": .string("\(type(of: error))")])
        }
      }
    }
  }
}
