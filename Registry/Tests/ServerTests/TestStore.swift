import RegistryStore
import RegistryTestSupport
import SQLiteStore

/// The store of servers under test.
enum TestStore {
  /// Makes a new, empty store.
  static func make(in scratch: Scratch) throws -> any RegistryStore {
    try SQLiteStore(path: scratch["registry.sqlite"])
  }
}
