import Content
import JSONText
import SQLiteIO

/// An item's own publication state: the columns that publishing sets.
package struct Publication: Sendable, Equatable {
  /// The slug.
  package var publicID: String
  /// The time of publication, as far as this device has recorded it.
  package var publishedAt: Timestamp
  /// Whether others may make their own copies.
  package var canFork: Bool
  /// The publishing account; nil until a user has signed in.
  package var author: Author?

  /// An account of a registry.
  package struct Author: Sendable, Equatable {
    package var id: String
    package var username: String

    package init(id: String, username: String) {
      self.id = id
      self.username = username
    }

    /// Finds the author name that most published items of a library have; nil if no item names an author.
    package init?(of library: SQLiteConnection) throws(SQLiteError) {
      let rows = try library.rows(
        """
        SELECT name, max(id) FROM (
          SELECT json_extract(publicMetadata, '$.authorUsername') AS name,
            json_extract(publicMetadata, '$.authorUserId') AS id
          FROM library_content WHERE publicMetadata IS NOT NULL AND json_valid(publicMetadata))
        WHERE typeof(name) = 'text' AND name <> '' GROUP BY name ORDER BY count(*) DESC, name LIMIT 1
        """)
      guard let row = rows.first, let name = row[0] else { return nil }
      self.init(id: row[1] ?? "", username: name)
    }
  }

  package init(publicID: String, publishedAt: Timestamp, canFork: Bool, author: Author?) {
    self.publicID = publicID
    self.publishedAt = publishedAt
    self.canFork = canFork
    self.author = author
  }

  /// The value of the column `publicMetadata`. The app recognizes a publication only if the first four members are
  /// present.
  package var metadata: String {
    var out = ByteBuffer(capacity: 256)
    out.append("{\"publishedAt\":")
    out.append(utf8: Self.number(publishedAt.milliseconds - Timestamp.of2001.milliseconds))
    out.append(",\"publicID\":")
    out.appendJSONString(publicID)
    out.append(canFork ? ",\"canFork\":true" : ",\"canFork\":false")
    out.append(",\"authorUsername\":")
    out.appendJSONString(author?.username ?? "")
    if let id = author?.id, CanonicalUUID.form(of: id) != .none {
      out.append(",\"authorUserId\":")
      out.appendJSONString(id.uppercased())
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Formats milliseconds exactly as seconds: `797072400.136`.
  private static func number(_ milliseconds: Int64) -> String {
    let (whole, part) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let sign = milliseconds < 0 ? "-" : ""
    if part == 0 { return sign + String(whole) }
    var digits = String(part + 1000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
  }
}

/// An item to enqueue: its canonical record, and the values that enqueuing needs.
struct EnqueuedItem {
  let id: String
  let contentType: String
  let visibility: String
  let publicID: String?
  let publishedAt: Timestamp?
  /// The value of `public_metadata` as JSON; nil if there is none.
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

/// The publication states of items (visibility, public id, metadata) before an operation changed them, kept until the
/// operation is sent.
///
/// An entry belongs to one queue row: it has the item's id and the row's `createdAt`. If a run was killed before it
/// wrote the row, its entry is therefore never used. All functions run inside the caller's transaction on the state
/// store.
struct PriorStates {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Records an item's current publication state.
  /// - Parameter now: `createdAt` of the row that changes the item.
  func record(_ item: EnqueuedItem, _ now: Timestamp) throws(SQLiteError) {
    let insert = try connection.prepare(
      """
      INSERT OR REPLACE INTO earlier_states
      (content_id, queued_at, visibility, public_id, published_at, public_metadata) VALUES (?, ?, ?, ?, ?, ?)
      """, as: "keep the state of an item")
    let values: [String?] = [
      item.id, now.columnText, item.visibility, item.publicID, item.publishedAt?.columnText, item.publicMetadata,
    ]
    for (index, value) in values.enumerated() {
      if let value { insert.bind(value, at: index + 1) } else { insert.bindNull(at: index + 1) }
    }
    try insert.run()
  }

  /// Restores the publication state that an item had before a row changed it.
  /// - Returns: whether that state is known.
  func restore(_ envelope: inout ItemEnvelope, before row: QueueEntry) throws(SQLiteError) -> Bool {
    let found = try connection.rows(
      """
      SELECT visibility, public_id, published_at, public_metadata FROM earlier_states
      WHERE content_id = ? AND queued_at = ?
      """, [row.contentID, row.createdAt])
    guard let state = found.first, let visibility = state[0] else { return false }
    envelope.visibility = visibility
    envelope.publicID = state[1]
    envelope.publishedAt = state[2].flatMap { Timestamp.parse($0)?.0 }
    envelope.publicMetadata = state[3].flatMap(LibraryEnvelopes.metadata)
    return true
  }

  /// Deletes a row's entry.
  func forget(_ row: QueueEntry) throws(SQLiteError) {
    _ = try connection.rows(
      "DELETE FROM earlier_states WHERE content_id = ? AND queued_at = ?", [row.contentID, row.createdAt])
  }
}
