import PostgreSQLStore
import RegistryStore
import RegistryTestSupport
import Testing

@Suite("The PostgreSQL store keeps the contract")
struct PostgreSQLStoreConformanceTests {
  @Test("the contract", arguments: StoreConformance.cases)
  func contract(_ conformance: ConformanceCase) async throws {
    let database = try ScratchDatabase()
    // All cases run at the same time, on one server.
    var options = PostgreSQLStoreOptions()
    (options.readers, options.writers) = (2, 2)
    let store = try PostgreSQLStore(database.address, options: options)
    try await conformance.run(store)
    try await store.close()
  }
}
