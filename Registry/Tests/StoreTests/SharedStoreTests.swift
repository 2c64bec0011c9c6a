import Content
import Foundation
import RegistryModel
import RegistryStore
import RegistryTestSupport
import Synchronization
import Testing

@testable import PostgreSQLStore

/// Several stores on one database, as in several processes; each call goes to the next one.
private final class StoreRing: RegistryStore {
  private let stores: [PostgreSQLStore]
  private let turn = Atomic<Int>(0)
  private let writesViewsAtOnce: Bool

  init(_ address: String, count: Int, writesViewsAtOnce: Bool = true) throws {
    self.writesViewsAtOnce = writesViewsAtOnce
    var options = PostgreSQLStoreOptions()
    (options.readers, options.writers) = (2, 2)
    stores = try (0..<count).map { _ in try PostgreSQLStore(address, options: options) }
  }

  private var next: PostgreSQLStore {
    stores[turn.wrappingAdd(1, ordering: .relaxed).oldValue % stores.count]
  }

  func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome { try await next.apply(operations, by: owner, at: now, claim: claim) }
  func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome? {
    try await next.answer(to: claim, of: owner, at: now)
  }
  func content(publicID: String, countingView: Bool) async throws -> SharedContent? {
    let store = next
    let item = try await store.content(publicID: publicID, countingView: countingView)
    // Otherwise the other processes show the view only when it has been written, 0.4 seconds later.
    if countingView, writesViewsAtOnce { await store.flushViews() }
    return item
  }
  func head(_ name: ContentName) async throws -> PublicationHead? { try await next.head(name) }
  func countFork(publicID: String) async throws -> ForkOutcome { try await next.countFork(publicID: publicID) }
  func list(_ query: PublicQuery) async throws -> ContentPage { try await next.list(query) }
  func list(
    ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int
  ) async throws -> ContentPage { try await next.list(ownedBy: owner, since: since, after: after, limit: limit) }
  func lineage(_ name: ContentName, depth: Int) async throws -> [ForkStep]? {
    try await next.lineage(name, depth: depth)
  }
  func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User {
    try await next.signIn(appleID: appleID, email: email, usernameHint: usernameHint, at: now)
  }
  func user(_ id: RegistryID) async throws -> User? { try await next.user(id) }
  func account(_ name: AccountName) async throws -> Account? { try await next.account(name) }
  func stats(of id: RegistryID) async throws -> AuthorStats { try await next.stats(of: id) }
  func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome {
    try await next.change(id, change, at: now)
  }
  func isRecredited(_ id: RegistryID) async throws -> Bool { try await next.isRecredited(id) }
  func deleteUser(_ id: RegistryID, at now: Timestamp) async throws { try await next.deleteUser(id, at: now) }
  func beginSession(_ session: Session, tokenHash: [UInt8]) async throws {
    try await next.beginSession(session, tokenHash: tokenHash)
  }
  func rotate(
    tokenHash: [UInt8], next successor: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome {
    try await next.rotate(tokenHash: tokenHash, next: successor, at: now, expiresAt: expiresAt)
  }
  func endSession(_ id: RegistryID) async throws { try await next.endSession(id) }
  func isLive(session: RegistryID, of user: RegistryID) async throws -> Bool {
    try await next.isLive(session: session, of: user)
  }
  func changeShared(_ key: String, _ change: @escaping @Sendable ([Int64]) -> [Int64]) async throws -> Bool {
    try await next.changeShared(key, change)
  }
  func check() async throws { try await next.check() }
  func sweep(at now: Timestamp) async throws { try await next.sweep(at: now) }
  func close() async throws { for store in stores { try await store.close() } }
}

@Suite("Several processes on one database keep the contract")
struct SharedStoreTests {
  /// In one process every view gets the next number; several processes only lose none.
  private static let cases = StoreConformance.cases.filter { !$0.name.hasPrefix("views are counted one by one") }

  @Test("the contract", arguments: cases)
  func contract(_ conformance: ConformanceCase) async throws {
    let database = try ScratchDatabase()
    let ring = try StoreRing(database.address, count: 3)
    try await conformance.run(ring)
    try await ring.close()
  }

  @Test("views of all processes add up")
  func views() async throws {
    let database = try ScratchDatabase()
    let ring = try StoreRing(database.address, count: 3, writesViewsAtOnce: false)
    let ann = try await ring.person("ann")
    _ = try await ring.publish(StoreSamples.request("one"), by: ann)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<300 { group.addTask { _ = try await ring.content(publicID: "one", countingView: true) } }
      try await group.waitForAll()
    }
    // Closing writes the waiting views.
    try await ring.close()
    #expect(try database.query("SELECT view_count FROM shared_content") == "300")
  }

  @Test("a list of numbers is changed by one process at a time")
  func sharedNumbers() async throws {
    let database = try ScratchDatabase()
    let ring = try StoreRing(database.address, count: 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 { group.addTask { _ = try await ring.changeShared("k") { $0 + [Int64(index)] } } }
      try await group.waitForAll()
    }
    let all = Mutex<[Int64]>([])
    _ = try await ring.changeShared("k") { numbers in
      all.withLock { $0 = numbers }
      return numbers
    }
    #expect(all.withLock { $0.sorted() } == (0..<200).map(Int64.init))
    try await ring.close()
  }
}
