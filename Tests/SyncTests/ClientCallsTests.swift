import Content
import Foundation
import JSONText
import RegistryClient
import TestSupport
import Testing

/// Every call of the client, tested with the real registry.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct ClientCallsTests {
  @Test func anItemIsPublishedChangedSeenAndWithdrawn() throws {
    let registry = try LocalRegistry()
    let client = try registry.client()
    let me = try client.me()
    #expect(me.username.hasPrefix("captain"))

    let published = try client.publish(ClientPublication.guide("fog-AAAAAAAA"), key: "k1")
    #expect(published.publicID == "fog-AAAAAAAA" && published.authorUsername == me.username)
    #expect(published.authorUserID == me.id && published.date != nil)
    let digest = try #require(published.digest)
    #expect(digest.utf8.count == 64)

    let head = try #require(try client.head("fog-AAAAAAAA"))
    #expect(head == ContentHead(ownerID: me.id, digest: digest))

    let item = try #require(try client.item("fog-AAAAAAAA"))
    #expect(item.id == published.id && item.title == "Fog" && item.contentType == .practiceGuide)
    #expect(item.tags == ["fog"] && item.canFork && item.digest == digest && item.description == "What to do.")
    #expect(try JSONDocument(parsing: item.contentData).root["markdown"]?.string == "# Fog")

    let changed = try client.update(
      "fog-AAAAAAAA", ClientPublication.guide("fog-AAAAAAAA", title: "Thick fog"), ifMatch: digest, key: "k2")
    #expect(changed.id == published.id && changed.digest != digest && changed.digest != nil)

    let page = try client.mine(since: nil, cursor: nil)
    #expect(page.items.map(\.title) == ["Thick fog"] && page.next == nil)
    #expect(page.items.first?.digest == changed.digest && page.items.first?.deletedAt == nil)

    try client.countFork("fog-AAAAAAAA")
    let lineage = try #require(try client.lineage("fog-AAAAAAAA"))
    #expect(lineage.map(\.title) == ["Thick fog"] && lineage.map(\.isCurrent) == [true])

    try client.withdraw("fog-AAAAAAAA", key: "k3")
    #expect(try client.head("fog-AAAAAAAA") == nil)
    #expect(try client.item("fog-AAAAAAAA") == nil)
    #expect(try client.mine(since: nil, cursor: nil).items.first?.deletedAt != nil)
    #expect(try client.lineage("none-AAAAAAAA") == nil)
  }

  @Test func refusalsComeInTheRegistrysWords() throws {
    let registry = try LocalRegistry()
    let client = try registry.client()
    let receipt = try client.publish(ClientPublication.guide("fog-BBBBBBBB"), key: "k1")
    // Repeating the request with the same key has no second effect.
    #expect(try client.publish(ClientPublication.guide("fog-BBBBBBBB"), key: "k1") == receipt)

    let taken = refusal { _ = try client.publish(ClientPublication.guide("fog-BBBBBBBB", title: "Other"), key: "k2") }
    #expect(taken?.status == 409 && taken?.code == "public_id_taken")
    let other = try registry.client("mate@example.com")
    #expect(refusal { try other.withdraw("fog-BBBBBBBB", key: "k3") }?.status == 403)
    let stale = refusal {
      _ = try client.update(
        "fog-BBBBBBBB", ClientPublication.guide("fog-BBBBBBBB"), ifMatch: String(repeating: "0", count: 64), key: "k4")
    }
    #expect(stale?.status == 412 && stale?.code == "precondition_failed")
    let broken = refusal {
      _ = try client.publish(Array(#"{"title":"x","content_type":"checklist","public_id":"a-b"}"#.utf8), key: "k5")
    }
    #expect(broken?.status == 422 && broken?.findings.isEmpty == false && broken?.detail.isEmpty == false)
    #expect(refusal { try client.withdraw("none-BBBBBBBB", key: "k6") }?.status == 404)
  }

  @Test func aBatchHasAResultForEachOfItsOperations() throws {
    let registry = try LocalRegistry()
    let client = try registry.client()
    let results = try client.batch(
      [
        BatchCall(operation: "publish", payload: ClientPublication.guide("one-CCCCCCCC")),
        BatchCall(operation: "publish", payload: ClientPublication.guide("one-CCCCCCCC", title: "Twice")),
        BatchCall(
          operation: "publish_update", payload: ClientPublication.guide("one-CCCCCCCC"),
          ifMatch: String(repeating: "1", count: 64)),
        BatchCall(operation: "publish_update", payload: ClientPublication.guide("one-CCCCCCCC", title: "Changed")),
        BatchCall(operation: "unpublish", payload: Array(#"{"public_id":"one-CCCCCCCC"}"#.utf8)),
      ], key: "b1")
    #expect(results.count == 5)
    guard case .done(let first) = results[0], case .refused(let second) = results[1],
      case .refused(let third) = results[2], case .done(let fourth) = results[3], case .withdrawn = results[4]
    else {
      Issue.record("\(results)")
      return
    }
    #expect(first.publicID == "one-CCCCCCCC" && first.digest != nil && first.authorUserID != nil)
    #expect(second.status == 409 && third.status == 412)
    #expect(fourth.digest != nil && fourth.digest != first.digest)
  }

  @Test func aLongListComesInPages() throws {
    let registry = try LocalRegistry()
    let client = try registry.client()
    let calls = (0..<250).map { number in
      BatchCall(operation: "publish", payload: ClientPublication.guide("many-\(number)-DDDDDDDD"))
    }
    _ = try client.batch(calls, key: "b1")
    var seen: [String] = []
    var cursor: String?
    var pages = 0
    repeat {
      let page = try client.mine(since: Timestamp(milliseconds: 0), cursor: cursor)
      seen += page.items.map(\.publicID)
      cursor = page.next
      pages += 1
    } while cursor != nil
    #expect(pages == 3 && seen.count == 250 && Set(seen).count == 250)
  }

  @Test func whoIsNotSignedInMayOnlyLook() throws {
    let registry = try LocalRegistry()
    _ = try registry.client().publish(ClientPublication.guide("fog-EEEEEEEE"), key: "k1")
    let nobody = try registry.connection().client()
    #expect(try nobody.item("fog-EEEEEEEE")?.title == "Fog")
    #expect(throws: RegistryError.signInNeeded("not signed in to \(registry.url)")) { _ = try nobody.me() }
  }

  @Test func aRegistryThatWasKilledAnswersAgainOnTheSameAddress() throws {
    let registry = try LocalRegistry()
    let client = try registry.client()
    _ = try client.publish(ClientPublication.guide("fog-FFFFFFFF"), key: "k1")
    registry.kill()
    #expect { _ = try client.me() } throws: { error in
      if case .unreachable(let words)? = error as? RegistryError { return words.contains(registry.url) }
      return false
    }
    try registry.start()
    #expect(try client.item("fog-FFFFFFFF")?.title == "Fog")
  }

  private func refusal(_ body: () throws -> Void) -> RegistryRefusal? {
    do {
      try body()
      return nil
    } catch RegistryError.refused(let refusal) {
      return refusal
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }
}
