import RegistryStore
import Testing

/// A requirement that every store must meet. The suite is `StoreConformance.cases`; a store's tests run all its cases,
/// each on an empty store.
public struct ConformanceCase: Sendable, CustomTestStringConvertible {
  /// The requirement.
  public let name: String
  /// Records an issue if the requirement is not met.
  public let run: @Sendable (any RegistryStore) async throws -> Void

  /// The name, in test reports.
  public var testDescription: String { name }

  init(_ name: String, _ run: @escaping @Sendable (any RegistryStore) async throws -> Void) {
    self.name = name
    self.run = run
  }
}

/// The contract of `RegistryStore`, as tests.
public enum StoreConformance {
  /// All cases.
  public static let cases: [ConformanceCase] = [items, changes, lists, forks, people, profiles, keys, random, crowds]
    .flatMap { $0 }
}

/// Records an unexpected result.
func unexpected(_ what: any Sendable = "no such outcome", sourceLocation: SourceLocation = #_sourceLocation) {
  Issue.record("\(what)", sourceLocation: sourceLocation)
}
