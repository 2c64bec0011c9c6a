import Foundation
import PostgreSQLStore
import RegistryStore
import RegistryTestSupport
import SQLiteStore

/// The store of servers under test: a SQLite file, or a database on the shared PostgreSQL server if
/// `FLEETKIT_TEST_STORE` is `postgresql`.
enum TestStore {
  static let isPostgreSQL = ProcessInfo.processInfo.environment["FLEETKIT_TEST_STORE"] == "postgresql"

  /// Makes a new, empty store.
  static func make(in scratch: Scratch) throws -> any RegistryStore {
    guard isPostgreSQL else { return try SQLiteStore(path: scratch["registry.sqlite"]) }
    var options = PostgreSQLStoreOptions()
    (options.readers, options.writers) = (2, 2)
    return try PostgreSQLStore(scratch.database().address, options: options)
  }
}
