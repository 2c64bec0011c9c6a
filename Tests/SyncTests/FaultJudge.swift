import Content
import Foundation
import JSONText
import Publishing
import SQLiteIO
import TestSupport
import Testing

/// Compares a registry's database and a library's queue with the owner's requests.
struct FaultJudge {
  private let world: FaultWorld
  private let registry: LocalRegistry
  private let proxy: FaultProxy

  init(_ world: FaultWorld, _ registry: LocalRegistry, _ proxy: FaultProxy) {
    (self.world, self.registry, self.proxy) = (world, registry, proxy)
  }

  func judge() throws {
    registry.stop()
    try judgeRegistry()
    try judgeQueue()
    #expect(proxy.tally.complaints.isEmpty, "payload errors: \(proxy.tally.complaints)")
  }

  private struct Published {
    let id: String
    let slug: String
    let title: String
    let isWithdrawn: Bool
    let digest: String
    let parent: String?
    let data: String
  }

  /// Checks that each item is there once in its last requested version, and that withdrawn items are withdrawn. The
  /// registry must contain nothing else.
  private func judgeRegistry() throws {
    let database = try SQLiteConnection(registry.database, .read, .foreign)
    let all = try database.rows(
      """
      SELECT s.id, public_id, title, deleted_at IS NOT NULL, lower(hex(digest)), forked_from_id,
      CAST(content_data AS TEXT) FROM shared_content AS s LEFT JOIN content_documents AS d ON d.number = s.number
      """
    ).map {
      Published(
        id: $0[0] ?? "", slug: $0[1] ?? "", title: $0[2] ?? "", isWithdrawn: $0[3] == "1", digest: $0[4] ?? "",
        parent: $0[5], data: $0[6] ?? "")
    }
    let live = all.filter { !$0.isWithdrawn }
    let slugs = Set(world.rows.values.map(\.slug))
    for row in all where !slugs.contains(row.slug) { Issue.record("\(row.slug) was never published") }
    let wanted = world.items.filter { $0.published != nil }
    #expect(live.count == wanted.count)

    let bySlug = Dictionary(uniqueKeysWithValues: live.map { ($0.slug, $0) })
    var found: Set<String> = []
    let queued = Set(try world.current().values.map(\.contentID))
    for item in world.items {
      let envelope = try world.envelope(item)
      let rows = world.rows.values.filter { $0.contentID == item.id }
      // A private item has no operation to send, whether it was withdrawn or never sent.
      if queued.contains(item.id) {
        #expect(
          envelope.status == "synced" || item.published == nil && envelope.status == "pending",
          "\(item.title): \(envelope) \(history(item))")
      }
      guard let revision = item.published else {
        #expect(envelope.visibility == "private" && envelope.publicID == nil, "\(item.title): \(envelope)")
        for row in rows where bySlug[row.slug] != nil {
          Issue.record("\(item.title) is public as \(row.slug) though it was taken back: \(history(item))")
        }
        continue
      }
      #expect(envelope.visibility == "public", "\(item.title): \(envelope)")
      guard let slug = envelope.publicID, let row = bySlug[slug] else {
        Issue.record("\(item.title) is not public as \(envelope): \(history(item))")
        continue
      }
      found.insert(slug)
      #expect(row.title == item.title)
      #expect(row.data.contains(FaultItem.text(revision)), "\(item.title), \(revision): \(row.data) \(history(item))")
      #expect(row.digest == (try digest(item, slug)), "\(item.title): \(history(item))")
      if let parent = item.parent {
        let parentSlug = try world.envelope(world.items[parent]).publicID ?? ""
        #expect(row.parent == bySlug[parentSlug]?.id, "\(item.title) is not a copy of \(parentSlug)")
      }
    }
    for row in all where world.neverSent.contains(row.slug) {
      Issue.record("\(row.slug) reached the registry though it had left the queue")
    }
    for row in live where !found.contains(row.slug) {
      Issue.record("\(row.slug) is public without a request: \(row.title)")
    }
  }

  /// Returns the digest of the last queued version of an item.
  private func digest(_ item: FaultItem, _ slug: String) throws -> String {
    let last = try world.current().filter {
      $0.value.contentID == item.id && $0.value.slug == slug && $0.value.operation != "unpublish"
    }.max { FaultWorld.number($0.key) < FaultWorld.number($1.key) }
    guard let payload = last?.value.payload,
      case .taken(let request) = try PublishIntake().publication(
        JSONDocument(parsing: payload).root, now: Timestamp(milliseconds: 0))
    else { return "no payload" }
    return Digest.hex(request.digest)
  }

  /// Checks that every row that was ever in the queue was either sent or removed because of another row.
  private func judgeQueue() throws {
    let now = try world.current()
    var sent = 0
    var overtaken = 0
    var cancelled = 0
    for (name, row) in world.rows {
      if let row = now[name] {
        if row.isSent { sent += 1 } else { overtaken += 1 }
        continue
      }
      cancelled += 1
      let others = world.rows.filter {
        $0.key != name && $0.value.contentID == row.contentID && $0.value.slug == row.slug
      }
      #expect(
        !others.isEmpty || world.neverSent.contains(row.slug), "row \(name), \(row.operation) of \(row.slug), was lost")
      #expect(!row.isSent, "row \(name) was sent, and is gone")
    }
    #expect(sent + overtaken + cancelled == world.rows.count)
    print("rows: \(sent) sent, \(cancelled) cancelled, \(overtaken) given up and overtaken")
  }

  private func history(_ item: FaultItem) -> String {
    world.rows.filter { $0.value.contentID == item.id }.sorted { FaultWorld.number($0.key) < FaultWorld.number($1.key) }
      .map {
        "\($0.key) \($0.value.operation) \($0.value.slug) \($0.value.isSent ? "sent" : "\($0.value.tries) \($0.value.error)")"
      }
      .joined(separator: "; ")
  }
}
