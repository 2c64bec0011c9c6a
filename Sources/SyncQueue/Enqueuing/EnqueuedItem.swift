import Content
import JSONText

/// An item to enqueue: its canonical record, and the values that enqueuing needs.
struct EnqueuedItem {
  let id: String
  let contentType: String
  let visibility: String
  let publicID: String?
  let publishedAt: Timestamp?
  /// The value of `public_metadata` as JSON; nil when there is none.
  let publicMetadata: String?
  let isBeingSent: Bool
  /// Whether the registry has this version of the item.
  let isSynced: Bool
  let canFork: Bool?
  let forkedFromID: String?
  let language: String
  let originalAuthor: String?
  /// The canonical record, which already contains the new title, if there is one.
  var line: [UInt8]
  var title: String

  init(_ node: JSONNode, line: UnsafeBufferPointer<UInt8>) {
    func text(_ name: StaticString) -> String? { node.member(name)?.string.flatMap { $0.isEmpty ? nil : $0 } }
    id = text("id") ?? ""
    title = text("title") ?? ""
    contentType = text("content_type") ?? ""
    visibility = text("visibility") ?? LibraryItem.Visibility.private
    publicID = text("public_id")
    publishedAt = text("published_at").flatMap { Timestamp.parse($0)?.0 }
    publicMetadata = node.member("public_metadata").flatMap {
      $0.isNull ? nil : String(decoding: $0.raw, as: UTF8.self)
    }
    isBeingSent = text("sync_status") == LibraryItem.SyncStatus.syncing
    isSynced = text("sync_status") == LibraryItem.SyncStatus.synced
    canFork = node.member("public_metadata")?.member("canFork")?.bool
    forkedFromID = text("forked_from_id")
    language = text("language") ?? "en"
    originalAuthor = text("original_author_username")
    self.line = Array(line)
  }

  /// Whether others can see the item, or will see it when the queue has been sent.
  var isPublic: Bool { publicID != nil && visibility != LibraryItem.Visibility.private }

  /// Returns the visibility that the item gets with a publication, or without one.
  func visibility(with publication: Publication?) -> String {
    publication == nil
      ? LibraryItem.Visibility.private : LibraryItem.Visibility.ofPublished(visibility, publicID: publicID)
  }
}
