import Foundation
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

/// The sidecar tables that publishing needs.
@Suite struct PublishingTablesTests {
  @Test func theStoreHasThemHoweverOftenItIsOpened() throws {
    let folder = Scratch()
    for _ in 0..<2 {
      let store = try StateStore(Sidecar(of: folder.path + "/a.sqlite"))
      for table in ["sync_queue", "publications", "registry_binding"] {
        #expect(try store.connection.number("SELECT count(*) FROM \(table)") == 0)
      }
    }
  }
}
