import RegistryStore
import RegistryTestSupport
import SQLiteStore
import Testing

@Suite("The SQLite store keeps the contract")
struct SQLiteStoreConformanceTests {
  @Test("the contract", arguments: StoreConformance.cases)
  func contract(_ conformance: ConformanceCase) async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    try await conformance.run(store)
    try await store.close()
  }
}
