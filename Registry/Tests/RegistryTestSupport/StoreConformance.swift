import RegistryStore
import Testing

/// One thing that every store must do. The suite is `StoreConformance.cases`; a store's tests run all of them, each on
/// an empty store of its own.
public struct ConformanceCase: Sendable, CustomTestStringConvertible {
  public let name: String
  public let run: @Sendable (any RegistryStore) async throws -> Void

  public var testDescription: String { name }

  init(_ name: String, _ run: @escaping @Sendable (any RegistryStore) async throws -> Void) {
    self.name = name
    self.run = run
  }
}

/// The contract of `RegistryStore` as tests.
public enum StoreConformance {
  public static let cases: [ConformanceCase] = items + changes + lists + forks + people + keys
}
