import Content
import Foundation
import Interchange
import JSONText
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

@testable import SyncQueue

/// Sequences of rows, and rows whose items change while the rows are being sent.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct SyncOrderTests {
  private let library: SyncLibrary
  private let registry: LocalRegistry
  private let client: RegistryClient

  init() throws {
    (library, registry, client) = try SyncLibrary.withRegistry()
  }

  @Test func aPublicationThatWasNeverSentAndItsWithdrawalCancelEachOther() throws {
    try library.publish(1)
    try library.unpublish(1)
    let calls = FaultyCalls(client)
    let report = try library.sync(calls)
    #expect(report.cancelled == 2 && report.sentCount == 0 && report.isBalanced && report.status == .success)
    #expect(calls.changes.isEmpty)
    #expect(try library.value("SELECT count(*) FROM sync_queue;") == "0")
    #expect(try library.item(1) == "private pending -")
  }

  @Test func aPublicationThatMayHaveArrivedIsWithdrawnAndNotSentAgain() throws {
    try library.add(1)
    try library.enqueue(.publish, 1, SyncLibrary.payload(1), retryCount: 1, error: "timed out")
    _ = try client.publish(Array(SyncLibrary.payload(1).utf8), key: "k")
    try library.unpublish(1)
    let calls = FaultyCalls(client)
    let report = try library.sync(calls)
    #expect(report.sent == ["unpublish": 1] && report.cancelled == 1 && report.isBalanced)
    #expect(calls.changes.map(\.call) == ["withdraw"])
    #expect(try client.head(SyncLibrary.slug(1)) == nil)
  }

  @Test func aFailedWithdrawalIsNotOvertakenByAnotherSlug() throws {
    let old = "fog-AAAAAAAA"
    _ = try client.publish(Array(SyncLibrary.payload(1, slug: old).utf8), key: "k")
    try library.add(1)
    let lost = QueueStore.interrupted
    try library.enqueue(.publish, 1, SyncLibrary.payload(1, slug: old), retryCount: 3, error: lost)
    try library.enqueue(.unpublish, 1, "{\"public_id\":\"\(old)\"}", retryCount: 3, error: "503")
    try library.enqueue(.publish, 1, SyncLibrary.payload(1))
    #expect(try library.sync(client).sent == ["publish": 1])
    let store = try QueueStore(library.path, .change)
    let known = try store.publication(of: SyncLibrary.id(1))
    #expect(known?.publicID == SyncLibrary.slug(1) && known?.digest != nil)
    #expect(try store.retryFailed() == 1)
    #expect(try library.sync(client).sent == ["unpublish": 1])
    #expect(try client.head(old) == nil && client.head(SyncLibrary.slug(1)) != nil)
    #expect(try library.item(1) == "public synced \(SyncLibrary.slug(1))")
    #expect(try store.publication(of: SyncLibrary.id(1)) == known)
    #expect(try store.retryFailed() == 0)
  }

  @Test func beingOfflineLeavesNoTrace() throws {
    try library.add(1)
    let error = "The operation could not be completed. (NSURLErrorDomain error -1009.)"
    try library.enqueue(.publish, 1, SyncLibrary.payload(1), retryCount: 0, error: error)
    try library.unpublish(1)
    #expect(try library.sync(client).cancelled == 2)
  }

  @Test func publishUnpublishPublishTheLastWins() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    try library.unpublish(1)
    try SQLiteShell.run(
      library.path,
      "UPDATE library_content SET visibility = 'public', publicID = 'fog-AAAAAAAA', syncStatus = 'queued' WHERE id = '\(SyncLibrary.id(1))';"
    )
    try library.enqueue(.publish, 1, SyncLibrary.payload(1, slug: "fog-AAAAAAAA"))
    let calls = FaultyCalls(client)
    let report = try library.sync(calls)
    #expect(report.sent == ["publish": 1, "unpublish": 1] && report.isBalanced)
    #expect(calls.changes.map(\.call) == ["withdraw", "publish"])
    #expect(try client.head(SyncLibrary.slug(1)) == nil && client.head("fog-AAAAAAAA") != nil)
    #expect(try library.item(1) == "public synced fog-AAAAAAAA")
  }

  @Test func anOlderVersionThatWasMadePublicAgainIsNotOverridden() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    let first = try client.head(SyncLibrary.slug(1))?.digest
    try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Fog B"))
    #expect(try library.sync(client).sentCount == 1)
    // Another device restores the first version.
    _ = try client.update(SyncLibrary.slug(1), Array(SyncLibrary.payload(1).utf8), ifMatch: nil, key: "back")
    #expect(try client.head(SyncLibrary.slug(1))?.digest == first)
    #expect(PayloadVersions().digest(of: Array(SyncLibrary.payload(1).utf8)) == first)
    try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Fog C"))
    let report = try library.sync(client)
    #expect(report.failed == 1 && report.sentCount == 0)
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Fog 1")
  }

  @Test func whatTheAppSentByItselfIsFollowed() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    let second = SyncLibrary.payload(1, title: "Fog B")
    let row = try library.enqueue(.publishUpdate, 1, second)
    _ = try client.update(SyncLibrary.slug(1), Array(second.utf8), ifMatch: nil, key: "app")
    try SQLiteShell.run(
      library.path, "UPDATE sync_queue SET syncedAt = '2126-01-05 10:11:12.000' WHERE id = \(row);")
    try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Fog C"))
    #expect(try library.sync(client).sentCount == 1)
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Fog C")
  }

  @Test func laterDuplicatesLeaveTheQueue() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    for title in ["A", "A", "B", "A"] {
      try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Fog \(title)"))
    }
    let report = try library.sync(client)
    #expect(report.sent == ["publish_update": 3] && report.cancelled == 1 && report.isBalanced)
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Fog A")
  }

  @Test func aForkFollowsItsOriginalWhateverTheOrder() throws {
    try library.publish(2, parent: SyncLibrary.id(1))
    try library.publish(3, parent: SyncLibrary.id(2))
    try library.publish(1)
    let report = try library.sync(client)
    #expect(report.sentCount == 3 && report.status == .success && report.isBalanced)
    #expect(try client.lineage(SyncLibrary.slug(3))?.map(\.title) == ["Fog 1", "Fog 2", "Fog 3"])
  }

  @Test func aForkOfWhatFailedWaits() throws {
    try library.add(1)
    try library.enqueue(.publish, 1, SyncLibrary.payload(1, description: false))
    try library.publish(2, parent: SyncLibrary.id(1))
    let report = try library.sync(client)
    #expect(report.failed == 1 && report.liveAfter == 1 && report.waiting.first?.reason?.contains("fork") == true)
  }

  @Test func aForkOfWhatWasPublishedWithoutAnAnswerFindsItsOriginal() throws {
    try library.publish(1)
    _ = try client.publish(Array(SyncLibrary.payload(1).utf8), key: "lost")
    #expect(try library.sync(client).sentCount == 1)
    try library.publish(2, parent: SyncLibrary.id(1))
    #expect(try library.sync(client).sentCount == 1)
    #expect(try client.lineage(SyncLibrary.slug(2))?.map(\.title) == ["Fog 1", "Fog 2"])
  }

  @Test func whetherOthersMayCopyComesFromTheItem() throws {
    try library.add(1, canFork: false)
    try library.enqueue(.publish, 1, SyncLibrary.payload(1))
    #expect(try library.sync(client).sentCount == 1)
    #expect(try client.item(SyncLibrary.slug(1))?.canFork == false)
  }

  @Test func anItemThatIsDeletedWhileItIsSentIsAccountedFor() throws {
    try library.publish(1)
    try library.publish(2)
    let path = library.path
    let calls = FaultyCalls(client) { request, _ in
      if request.call == "publish" {
        _ = try? SQLiteShell.run(
          path, "PRAGMA foreign_keys = ON; DELETE FROM library_content WHERE id = '\(SyncLibrary.id(1))';")
      }
      return nil
    }
    let report = try library.sync(calls) { $0.workers = 1 }
    #expect(report.sentCount == 1 && report.gone == 1 && report.isBalanced && report.status == .success)
    #expect(try library.value("SELECT count(*) FROM sync_queue;") == "1")
  }

  @Test func aRowThatIsReplacedWhileItIsSentBecomesAnUpdate() throws {
    let row = try library.publish(1)
    let library = library
    let replacement = SyncLibrary.payload(1, title: "Thick fog")
    let path = library.path
    let calls = FaultyCalls(client) { request, _ in
      if request.call == "publish" {
        _ = try? SQLiteShell.run(
          path,
          """
          UPDATE sync_queue SET payload = '\(replacement)', id = id + 5 WHERE id = \(row);
          UPDATE library_content SET syncStatus = 'queued' WHERE id = '\(SyncLibrary.id(1))';
          """)
      }
      return nil
    }
    let report = try library.sync(calls)
    #expect(report.status == .success && report.liveAfter == 0)
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Thick fog")
  }

  @Test func whatADeadRunLeftIsTakenUp() throws {
    let row = try library.publish(1)
    try library.add(2)
    try SQLiteShell.run(library.path, "UPDATE library_content SET syncStatus = 'syncing' WHERE title LIKE 'Fog%';")
    let store = try QueueStore(library.path, .change)
    try store.recoverInterruptedRows()
    #expect(try library.item(1).contains("queued") && library.item(2).contains("pending"))
    #expect(try store.operation(OperationID(.library, Int64(row)))?.mayHaveArrived == true)
    #expect(try library.sync(client).sentCount == 1)
  }

  @Test func aLibraryBelongsToOneRegistryAndOneAccount() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    try library.publish(2)
    let mate = try registry.client("mate@example.com")
    for attempt in [{ try library.sync(mate) }, { try library.sync(client, registry: "https://else.example.org") }] {
      let failure = #expect(throws: RunFailure.self) { _ = try attempt() }
      #expect(failure?.status == .refused && failure?.advice?.contains("queue rebind") == true)
    }
    let store = try QueueStore(library.path, .change)
    let me = try mate.me()
    try store.bind(to: RegistryBinding(registry: "http://127.0.0.1", userID: me.id, username: me.username))
    #expect(try library.sync(mate).sentCount == 1)
  }

  @Test func onlyOneSyncIsAtWork() throws {
    try library.publish(1)
    _ = try QueueStore(library.path, .change)
    let lock = try SyncLock(of: library.path)
    let failure = #expect(throws: RunFailure.self) { try library.sync(client) }
    #expect(failure?.status == .locked)
    withExtendedLifetime(lock) {}
  }

  @Test func librariesOfOlderSchemasAreRefusedAndNothingIsMade() throws {
    let scratch = Scratch()
    let old = try scratch.writable("library-v1.6.0.sqlite")
    let failure = #expect(throws: RunFailure.self) { try QueueStore(old, .change) }
    #expect(failure?.status == .refused && failure?.advice?.contains("migrate") == true)
    #expect(!FileManager.default.fileExists(atPath: old + ".fleetkit"))
  }

  @Test func decksAreSentFromBesideTheLibrary() throws {
    let slug = "signals-0000000A"
    let id = SyncLibrary.id(77)
    _ = try QueueStore(library.path, .change)
    var item = LibraryItem(
      id: id, contentType: .flashcardDeck, title: "Signals", description: "Flags and sounds.", tags: ["signals"])
    item.syncStatus = LibraryItem.SyncStatus.queued
    item.visibility = LibraryItem.Visibility.public
    item.publicID = slug
    let line = try TypedRecord.item(item).canonicalLine().replacing("'", with: "''")
    let payload = """
      {"title":"Signals","description":"Flags and sounds.","content_type":"flashcard_deck","content_data":{"id":"\(id)",\
      "title":"Signals","cards":[{"id":"\(SyncLibrary.id(78))","front":"A","back":"Alfa"}],"tags":["signals"],\
      "createdAt":"2026-01-05T10:11:12Z","updatedAt":"2026-01-05T10:11:12Z","syncStatus":"pending"},\
      "tags":["signals"],"language":"en","public_id":"\(slug)"}
      """
    try SQLiteShell.run(
      library.path + ".fleetkit/state.sqlite",
      """
      INSERT INTO records VALUES ('item', '\(id)', CAST('\(line)' AS BLOB));
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt) VALUES
      ('\(id)', 'publish', 'public', '\(payload)', '2026-04-05 09:00:00.000');
      """)
    try library.publish(1)
    let report = try library.sync(client)
    #expect(report.sent == ["publish": 2] && report.isBalanced && report.failures.isEmpty)
    #expect(try client.head(slug) != nil)
    let store = try QueueStore(library.path, .look)
    let deck = try #require(try store.deckEnvelopes?.envelope(of: id))
    #expect(deck.syncStatus == "synced" && deck.visibility == "public" && deck.publicMetadata?.canFork == true)
    #expect(try store.operation(OperationID(.beside, 1))?.syncedAt != nil)
    #expect(OperationID("d1") == OperationID(.beside, 1) && OperationID("1") == OperationID(.library, 1))
  }
}
