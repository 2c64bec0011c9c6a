import Content
import Foundation
import Interchange
import JSONText
import RegistryClient
import TestSupport
import Testing

@testable import SyncQueue

/// Required cases of the queue's rules, tested against the real registry.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct SyncCasesTests {
  private let library: SyncLibrary
  private let registry: LocalRegistry
  private let client: RegistryClient

  init() throws {
    (library, registry, client) = try SyncLibrary.withRegistry()
  }

  @Test func whatIsQueuedIsPublishedChangedAndWithdrawn() throws {
    let row = try library.publish(1)
    var report = try library.sync(client)
    #expect(report.status == .success && report.sent == ["publish": 1] && report.isBalanced)
    #expect(try library.row(row) == "sent")
    #expect(try library.item(1) == "public synced \(SyncLibrary.slug(1))")
    let metadata = try JSONDocument(
      parsing: library.value("SELECT publicMetadata FROM library_content WHERE id = '\(SyncLibrary.id(1))';")
    ).root
    let me = try client.me()
    #expect(metadata["authorUsername"]?.string == me.username)
    #expect(metadata["authorUserId"]?.string == me.id.uppercased())
    #expect((metadata["publishedAt"]?.double ?? 0) > 800_000_000 && metadata["canFork"]?.bool == true)
    let published = try #require(try client.item(SyncLibrary.slug(1)))
    let known = try library.value(
      "ATTACH '\(library.path).fleetkit/state.sqlite' AS s; SELECT registry_id || digest FROM s.publications;")
    #expect(known == published.id + (published.digest ?? ""))

    let update = try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thick fog"))
    report = try library.sync(client)
    #expect(report.sent == ["publish_update": 1] && report.status == .success)
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Thick fog")
    #expect(try library.row(update) == "sent")

    try library.unpublish(1)
    report = try library.sync(client)
    #expect(report.sent == ["unpublish": 1] && report.status == .success)
    #expect(try client.head(SyncLibrary.slug(1)) == nil)
    #expect(try library.item(1) == "private synced -")
  }

  /// The app allows empty sections in published items, and its builds up to January 2026 wrote times as numbers.
  @Test func whatTheAppQueuesIsSentAsItMeansIt() throws {
    try library.add(1)
    let section =
      #"{"id":"272F0420-011E-4256-8C1E-39AB4A63A07A","title":"Below","items":[]"#
      + #","isExpandedByDefault":true,"sortOrder":0}"#
    let payload = SyncLibrary.payload(1).replacing("practice_guide", with: "checklist")
      .replacing(##""markdown":"# Fog\n\nSlow down. Sound the horn.""##, with: #""sections":[\#(section)]"#)
      .replacing(#""createdAt":"2026-01-05T10:11:12Z""#, with: #""createdAt":789300672.75"#)
    let row = try library.enqueue(.publish, 1, payload)
    try library.publish(2)
    try SQLiteShell.run(
      library.path,
      "UPDATE sync_queue SET payload = replace(payload, '\"2026-01-05T10:11:12Z\"', '1e300') WHERE id = \(row + 1);")
    let report = try library.sync(client)
    #expect(report.sent == ["publish": 1] && report.failed == 1 && report.isBalanced)
    #expect(try library.row(row) == "sent")
    let item = try #require(try client.item(SyncLibrary.slug(1)))
    let document = try JSONDocument(parsing: item.contentData).root
    #expect(document["createdAt"]?.string == "2026-01-05T10:11:12Z")
    #expect(
      document["sections"]?.elements.count == 1 && document["sections"]?.elements[0]["items"]?.elements.isEmpty == true)
    // An operation with an impossible time fails, and its place is reported.
    #expect(try library.row(row + 1) == "failed 3")
    #expect(try library.error(row + 1).contains("/content_data/createdAt"))
    // Afterwards nothing is left to send.
    #expect(try library.sync(client).sentCount == 0)
  }

  /// A registry without the original accepts the copy without the link and keeps its author.
  @Test func aCopyOfWhatTheRegistryDoesNotKnowIsSentWithoutTheLink() throws {
    try library.publish(1, parent: "0D0939BC-A71B-49F8-B06C-C047F24F4730")
    try SQLiteShell.run(
      library.path,
      "UPDATE library_content SET originalAuthorUsername = 'captain_maria' WHERE id = '\(SyncLibrary.id(1))';")
    let report = try library.sync(client)
    #expect(report.sent == ["publish": 1] && report.status == .success && report.notes.count == 1)
    let item = try #require(try client.item(SyncLibrary.slug(1)))
    #expect(item.forkedFromID == nil && item.origin.authorUsername == "captain_maria")
    // A copy of the copy credits the same author.
    let target = library.scratch["b.sqlite"]
    _ = try Shell.fleetkit("convert", try library.scratch.write("none.json", "[]"), "--to", target)
    let fork = try Shell.fleetkit("fork", item.publicID, "--into", target, "--registry", registry.url)
    #expect(fork.status == 0, "\(fork.errors)")
    let author = try SQLiteShell.run(target, "SELECT originalAuthorUsername FROM library_content;")
    #expect(author == "captain_maria\n")
  }

  /// A run died after the answer was stored in the sidecar, but before the row was marked as sent.
  @Test func anUpdateWhoseAnswerIsStoredIsNotSentAgain() throws {
    try library.publish(1)
    _ = try library.sync(client)
    let update = try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thick fog"))
    #expect(try library.sync(client).sent == ["publish_update": 1])
    let published = try #require(try client.item(SyncLibrary.slug(1)))
    func forgetTheCommit() throws {
      try SQLiteShell.run(
        library.path,
        "UPDATE sync_queue SET syncedAt = NULL WHERE id = \(update); UPDATE library_content SET syncStatus = 'syncing'"
          + " WHERE id = '\(SyncLibrary.id(1))';")
    }
    try forgetTheCommit()
    let calls = FaultyCalls(client)
    #expect(try library.sync(calls).isBalanced)
    #expect(try library.row(update) == "sent" && library.item(1) == "public synced \(SyncLibrary.slug(1))")
    #expect(calls.changes.isEmpty, "\(calls.changes)")
    #expect(try client.item(SyncLibrary.slug(1))?.updatedAt == published.updatedAt)
    // Another client has changed the item since, so the update is refused, as it would be if it were sent with its
    // entity tag.
    try forgetTheCommit()
    let other = Array(SyncLibrary.payload(1, title: "No fog").utf8)
    _ = try client.update(SyncLibrary.slug(1), other, ifMatch: nil, key: "other")
    #expect(try library.sync(client).failed == 1)
    #expect(try library.row(update) == "failed 3" && client.item(SyncLibrary.slug(1))?.title == "No fog")
  }

  @Test func offlineItWaitsWithoutUsingTriesAndIsSentOnline() throws {
    let row = try library.publish(1)
    registry.stop()
    var report = try library.sync(client)
    #expect(report.status == .unreachable && report.end == .unreachable && report.liveAfter == 1 && report.isBalanced)
    #expect(try library.row(row) == "live 0")
    #expect(try library.item(1) == "public queued \(SyncLibrary.slug(1))")
    try registry.start()
    report = try library.sync(client)
    #expect(report.status == .success && report.sentCount == 1)
    try library.unpublish(1)
    registry.stop()
    #expect(try library.sync(client).status == .unreachable)
    try registry.start()
    #expect(try library.sync(client).sent == ["unpublish": 1])
    #expect(try client.head(SyncLibrary.slug(1)) == nil)
  }

  @Test func theNetworkThatGoesAwayInTheMiddleLeavesRowsAsTheyWere() throws {
    let row = try library.publish(1)
    let calls = FaultyCalls(client) { request, _ in
      request.call == "publish" ? .before(.unreachable("no route to host")) : nil
    }
    let report = try library.sync(calls)
    #expect(report.status == .unreachable && report.failed == 0 && report.isBalanced)
    #expect(try library.row(row) == "live 0")
    #expect(try library.error(row) == "")
    #expect(try library.sync(client).sentCount == 1)
  }

  @Test func aSlugThatIsTakenFailsOnceAndIsShown() throws {
    _ = try registry.client("other@example.com").publish(ClientPublication.guide(SyncLibrary.slug(1)), key: "other")
    let row = try library.publish(1)
    let calls = FaultyCalls(client)
    var report = try library.sync(calls)
    #expect(report.status == .partial && report.failed == 1 && report.failures.first?.code == "slug_taken")
    #expect(report.failures.first?.reason?.contains(SyncLibrary.slug(1)) == true)
    #expect(try library.row(row) == "failed 3")
    #expect(try library.item(1) == "public failed \(SyncLibrary.slug(1))")
    #expect(calls.changes.count == 1)
    report = try library.sync(calls)
    #expect(calls.changes.count == 1 && report.status == .success && report.depth.failed == 1)
  }

  @Test func aSlugUnderWhichIPublishedOtherContentOrWithdrewItFails() throws {
    _ = try client.publish(ClientPublication.guide(SyncLibrary.slug(1)), key: "other")
    _ = try client.publish(ClientPublication.guide(SyncLibrary.slug(2)), key: "other2")
    try client.withdraw(SyncLibrary.slug(2), key: "other3")
    try library.publish(1)
    try library.publish(2)
    let report = try library.sync(client)
    #expect(report.failed == 2)
    for number in [1, 2] {
      #expect(report.failures.contains { $0.reason?.contains(SyncLibrary.slug(number)) == true }, "\(report.failures)")
    }
  }

  @Test func anAnswerThatWasLostIsNoFailureAndNoDuplicate() throws {
    for error in [RegistryError.timedOut("30 s"), .broken("reset"), .unreadable("<html>")] {
      let library = try SyncLibrary()
      let registry = try LocalRegistry()
      let client = try registry.client()
      let row = try library.publish(1)
      let calls = FaultyCalls(client) { request, place in
        request.call == "publish" && place == 1 ? .after(error) : nil
      }
      let report = try library.sync(calls)
      #expect(report.status == .success && report.sentCount == 1, "\(error)")
      #expect(try library.row(row) == "sent")
      #expect(Set(calls.changes.map(\.key)).count == 1, "the same key again")
      #expect(try client.mine(since: nil, cursor: nil).items.count == 1)
    }
  }

  @Test func whatWasSentUnderAnotherKeyEndsAsSuccess() throws {
    // As if a run had died after the registry completed a batch, but before the answer arrived.
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    let digest = try client.head(SyncLibrary.slug(1))?.digest
    try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thick fog"))
    let request = Array(SyncLibrary.payload(1, title: "Thick fog").utf8)
    _ = try client.update(SyncLibrary.slug(1), request, ifMatch: digest, key: "another")
    try library.publish(2)
    _ = try client.publish(Array(SyncLibrary.payload(2).utf8), key: "another2")
    try library.publish(3)
    #expect(try library.sync(client) { $0.workers = 1 }.sentCount == 3)
    try library.unpublish(3)
    try client.withdraw(SyncLibrary.slug(3), key: "another3")
    let report = try library.sync(client)
    #expect(report.status == .success && report.sentCount == 1)
    #expect(try library.item(2) == "public synced \(SyncLibrary.slug(2))")
    #expect(try library.item(3) == "private synced -")
  }

  @Test func aChangeMadeElsewhereIsNotOverwritten() throws {
    try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    _ = try client.update(SyncLibrary.slug(1), ClientPublication.guide(SyncLibrary.slug(1)), ifMatch: nil, key: "x")
    let row = try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thick fog"))
    let report = try library.sync(client)
    #expect(report.failures.first?.code == "changed_elsewhere" && report.status == .partial)
    #expect(report.failures.first?.advice?.contains("pull") == true)
    #expect(try library.row(row) == "failed 3")
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Fog")
  }

  @Test func serverErrorsAreTriedThreeTimesAndThenGivenUp() throws {
    for (number, error) in [RegistryError.refused(RegistryRefusal(status: 500, detail: "boom")), .timedOut("30 s")]
      .enumerated()
    {
      let row = try library.publish(number)
      let calls = FaultyCalls(client) { request, _ in request.call == "publish" ? .before(error) : nil }
      let report = try library.sync(calls)
      #expect(calls.changes.count == 3 && report.failed == 1 && report.status == .partial)
      #expect(try library.row(row) == "failed 3")
      #expect(try library.item(number).contains("failed"))
      // The original request is sent again.
      let again = try library.sync(client) { $0.retriesFailed = true }
      #expect(again.retried == 1 && again.sentCount == 1 && again.status == .success)
    }
  }

  @Test func aWaitIsKeptBetweenRunsAndGrowsWithEveryTry() throws {
    let row = try library.publish(1)
    let calls = FaultyCalls(client) { request, _ in
      request.call == "publish" ? .before(.refused(RegistryRefusal(status: 502, detail: "bad gateway"))) : nil
    }
    let report = try library.sync(calls) { options in
      options.patience = 0
      options.step = 1
    }
    #expect(report.liveAfter == 1 && report.failed == 0 && report.status == .success && report.depth.retrying == 1)
    #expect(try library.row(row) == "live 1")
    #expect(try library.item(1).hasPrefix("public pending"))
    let wait = try library.value(
      "SELECT (julianday(nextRetryAt) - julianday('now')) * 86400 BETWEEN 1 AND 2.6 FROM sync_queue;")
    #expect(wait == "1")
    // The operation is not sent before its time.
    let second = FaultyCalls(client)
    #expect(try library.sync(second) { $0.patience = 0 }.sentCount == 0)
    #expect(second.changes.isEmpty)
  }

  @Test func oneBadItemStopsNoOther() throws {
    try library.add(Array(1...30))
    try library.enqueue(.publish, 1...30) { SyncLibrary.payload($0) }
    let bad = SyncLibrary.slug(7)
    _ = try registry.client("other@example.com").publish(ClientPublication.guide(bad), key: "other")
    let report = try library.sync(client)
    #expect(report.sentCount == 29 && report.failed == 1 && report.isBalanced && report.status == .partial)
    #expect(try library.item(7).contains("failed"))
  }

  @Test func aPayloadThatBreaksARuleIsNeverSent() throws {
    try library.add(1, 2, 3)
    try library.enqueue(.publish, 1, SyncLibrary.payload(1, description: false))
    try library.enqueue(.publish, 2, "{\"title\":\"x\"")
    try library.enqueue(.publish, 3, nil)
    let calls = FaultyCalls(client)
    let report = try library.sync(calls)
    #expect(calls.changes.isEmpty && report.failed == 3 && report.status == .partial && report.isBalanced)
    #expect(report.failures.allSatisfy { $0.code == "invalid" && $0.reason != nil && $0.advice != nil })
  }

  @Test func unpublishingWhatIsUnknownIsDoneAndSomebodyElsesIsNot() throws {
    try library.add(1, 2)
    try library.unpublish(1)
    try library.unpublish(2)
    _ = try registry.client("other@example.com").publish(ClientPublication.guide(SyncLibrary.slug(2)), key: "other")
    let report = try library.sync(client)
    #expect(report.sent == ["unpublish": 1] && report.failed == 1 && report.failures.first?.code == "forbidden")
    #expect(try library.item(1) == "private synced -")
    #expect(try library.item(2) == "private failed -")
  }

  @Test func anUpdateOfWhatIsNotThereFails() throws {
    try library.add(1)
    let row = try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1))
    let report = try library.sync(client)
    #expect(report.failures.first?.code == "not_found")
    #expect(try library.row(row) == "failed 3")
  }

  @Test func moreThanAHundredGoInBatchesAndInOrder() throws {
    try library.add(Array(1...120))
    try library.enqueue(.publish, 1...120) { SyncLibrary.payload($0) }
    try library.enqueue(.publishUpdate, 1...120) { SyncLibrary.payload($0, title: "Fog two") }
    try library.enqueue(.unpublish, 1...60) { SyncLibrary.withdrawal($0) }
    let calls = FaultyCalls(client)
    let report = try library.sync(calls)
    // An operation is not sent if a later operation withdraws the item, and an item that was never sent is not
    // withdrawn.
    #expect(report.sent == ["publish": 60, "publish_update": 60] && report.cancelled == 180 && report.isBalanced)
    #expect(calls.changes.filter { $0.call == "batch" }.count >= 2)
    #expect(calls.changes.allSatisfy { $0.count <= 500 })
    var cursor: String?
    var items: [OwnedItem] = []
    repeat {
      let page = try client.mine(since: nil, cursor: cursor)
      items += page.items
      cursor = page.next
    } while cursor != nil
    #expect(items.count == 60 && items.allSatisfy { $0.title == "Fog two" && $0.deletedAt == nil })
    #expect(try library.value("SELECT count(*) FROM library_content WHERE syncStatus = 'syncing';") == "0")
  }

  @Test func aRegistryWithoutBatchesGetsSingleCalls() throws {
    try library.add(Array(1...12))
    try library.enqueue(.publish, 1...12) { SyncLibrary.payload($0) }
    let calls = FaultyCalls(client) { request, _ in
      request.call == "batch" ? .before(.refused(RegistryRefusal(status: 405, detail: "no"))) : nil
    }
    let report = try library.sync(calls)
    #expect(report.sent == ["publish": 12] && report.status == .success)
    #expect(calls.changes.filter { $0.call == "batch" }.count <= 4)
    #expect(calls.changes.filter { $0.call == "publish" }.count == 12)
  }

  @Test func aBatchThatKeepsFailingIsTakenApart() throws {
    try library.add(Array(1...16))
    try library.enqueue(.publish, 1...16) { SyncLibrary.payload($0) }
    let calls = FaultyCalls(client) { request, _ in
      request.call == "batch" && request.count > 4 ? .after(.broken("reset")) : nil
    }
    let report = try library.sync(calls) { $0.workers = 1 }
    #expect(report.sent == ["publish": 16] && report.failed == 0 && report.status == .success)
    #expect(try client.mine(since: nil, cursor: nil).items.count == 16)
  }

  @Test func aRegistryThatFailsForEverythingEndsTheRunAndCostsNoTries() throws {
    try library.add(Array(1...30))
    try library.enqueue(.publish, 1...30) { SyncLibrary.payload($0) }
    let calls = FaultyCalls(client) { request, _ in
      request.call == "me" ? nil : .before(.refused(RegistryRefusal(status: 500, detail: "boom")))
    }
    let report = try library.sync(calls)
    #expect(report.status == .unreachable && report.end == .failing && report.failed == 0 && report.liveAfter == 30)
    #expect(try library.value("SELECT sum(retryCount) FROM sync_queue;") == "0")
    #expect(report.isBalanced && calls.changes.count < 40)
    #expect(try library.sync(client).sentCount == 30)
  }

  @Test func aPauseIsKeptAndCostsNoTries() throws {
    try library.publish(1)
    let calls = FaultyCalls(client) { request, place in
      place == 1 ? .before(.refused(RegistryRefusal(status: 429, detail: "slow down", retryAfter: 0.3))) : nil
    }
    let start = ContinuousClock.now
    let report = try library.sync(calls)
    #expect(report.sentCount == 1 && start.duration(to: .now) > .milliseconds(300))
    try library.publish(2)
    let long = FaultyCalls(client) { request, _ in
      request.call == "me"
        ? nil : .before(.refused(RegistryRefusal(status: 503, detail: "maintenance", retryAfter: 3600)))
    }
    let paused = try library.sync(long)
    #expect(paused.status == .unreachable && paused.end == .paused && paused.liveAfter == 1)
    #expect(try library.value("SELECT retryCount FROM sync_queue WHERE syncedAt IS NULL;") == "0")
  }

  @Test func withoutASessionEverythingWaits() throws {
    try library.publish(1)
    let calls = FaultyCalls(client) { request, _ in
      request.call == "publish" ? .before(.signInNeeded("the session has ended")) : nil
    }
    let report = try library.sync(calls)
    #expect(report.status == .signInNeeded && report.liveAfter == 1 && report.failed == 0)
    #expect(try library.sync(client).sentCount == 1)
  }

  @Test func anUpdateFollowsAnEarlierOneWhoseAnswersWereLost() throws {
    let row = try library.publish(1)
    #expect(try library.sync(client).sentCount == 1)
    let update = try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thick fog"))
    let calls = FaultyCalls(client) { request, _ in request.call == "update" ? .after(.timedOut("30 s")) : nil }
    #expect(try library.sync(calls).failed == 1)
    #expect(try library.row(update) == "failed 3" && client.item(SyncLibrary.slug(1))?.title == "Thick fog")
    // The later edit replaces the payload of the failed operation, as `update` would do it.
    let payload = SyncLibrary.payload(1, title: "Thicker fog")
    try SQLiteShell.run(
      library.path,
      "UPDATE sync_queue SET payload = '\(payload)', retryCount = 0, lastError = NULL WHERE id = \(update);")
    let report = try library.sync(client)
    #expect(report.status == .success && report.sentCount == 1 && report.isBalanced, "\(report.failures)")
    #expect(try client.item(SyncLibrary.slug(1))?.title == "Thicker fog")
    #expect(try library.row(row) == "sent")
    // A version that another client sent in between is not overwritten.
    _ = try client.update(SyncLibrary.slug(1), ClientPublication.guide(SyncLibrary.slug(1)), ifMatch: nil, key: "x")
    try library.enqueue(.publishUpdate, 1, SyncLibrary.payload(1, title: "Thin fog"))
    #expect(try library.sync(client).failures.first?.code == "changed_elsewhere")
  }
}
