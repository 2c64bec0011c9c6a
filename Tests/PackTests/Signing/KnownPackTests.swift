import FleetKit
import SQLiteLibrary
import TestSupport
import Testing

/// A library's record of packs takes effect at the moment when the import is complete.
@Suite struct KnownPackTests {
  private let scratch = Scratch()
  private let one = StateStore.KnownPack(name: "a", version: "1.0.0", sha256: "00", key: nil)
  private let two = StateStore.KnownPack(name: "a", version: "1.1.0", sha256: "11", key: "RW")
  private let witness = Ledger.Witness(kind: .item, id: "X", before: nil, after: "hash")

  private func run(_ store: StateStore, _ pack: StateStore.KnownPack, _ witnesses: [Ledger.Witness] = []) throws
    -> Ledger
  {
    let ledger = try Ledger(store, run: store.begin("import").id)
    try ledger.remember(pack)
    try ledger.intend(witnesses)
    return ledger
  }

  @Test func aRunThatIsDoneIsRemembered() throws {
    let store = try StateStore(Sidecar(of: scratch["boat.sqlite"]))
    #expect(try store.pack(named: "a") == nil)
    let ledger = try run(store, one, [witness])
    #expect(try store.pack(named: "a") == nil)
    ledger.done()
    #expect(try store.pack(named: "a") == one)
    // The library does not change, so the import is complete once its intent is recorded.
    _ = try run(store, two)
    #expect(try store.pack(named: "a") == two)
    #expect(try store.pack(named: "b") == nil)
  }

  @Test func aRunThatWasKilledIsNot() throws {
    let store = try StateStore(Sidecar(of: scratch["boat.sqlite"]))
    try run(store, one, [witness]).done()
    _ = try run(store, two, [witness])
    // No library exists that could contain the change.
    try store.resolveKilledRuns(nil)
    #expect(try store.pack(named: "a") == one)
    try run(store, two, [witness]).forget()
    #expect(try store.pack(named: "a") == one)
    #expect(try store.connection.number("SELECT count(*) FROM staged_packs") == 0)
  }

  @Test func aStoreOfAnOlderVersionGetsTheTables() throws {
    let sidecar = try Sidecar(of: scratch["boat.sqlite"])
    do {
      let store = try StateStore(sidecar)
      try store.connection.execute("DROP TABLE packs; DROP TABLE staged_packs")
    }
    let store = try StateStore(sidecar)
    #expect(try store.pack(named: "a") == nil)
    #expect(try store.connection.number("PRAGMA user_version") == 1)
  }
}
