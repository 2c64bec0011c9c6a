import RegistryStore
import RegistryTestSupport
import SQLiteStore

/// The store that servers under test work with.
enum TestStore {
  /// A new, empty one.
  static func make(in scratch: Scratch) throws -> any RegistryStore {
    try SQLiteStore(path: scratch["registry.sqlite"])
  }
}
