import Content
import JSONText
import SQLiteIO

/// The publication data of items, in the library or the sidecar.
protocol ItemEnvelopes: AnyObject {
  /// Reads an item's envelope; returns nil if the item is missing.
  func envelope(of contentID: String) throws -> ItemEnvelope?
  /// Reads an item's title; returns nil if the item is missing. This is cheaper than reading the envelope.
  func title(of contentID: String) throws -> String?
  /// Changes an item; does nothing if the item is missing.
  func write(_ envelope: ItemEnvelope, to contentID: String) throws
  /// Changes only an item's status; does nothing if the item is missing.
  func write(status: String, to contentID: String) throws
  /// Returns the ids of items that are marked as being sent.
  func syncing() throws -> [String]
  /// Returns the ids and slugs of items that are public or waiting to be published, according to their rows.
  func published() throws -> [(id: String, slug: String)]
}

extension ItemEnvelopes {
  func title(of contentID: String) throws -> String? { try envelope(of: contentID)?.title }
}

/// An item's publication data.
struct ItemEnvelope: Equatable {
  /// The title that lists show.
  var title: String
  /// The visibility: `public`, `private` …
  var visibility: String
  /// The item's sync state.
  var syncStatus: String
  /// The slug.
  var publicID: String?
  /// When the item was published.
  var publishedAt: Timestamp?
  /// The publication data that the app shows.
  var publicMetadata: PublicMetadata?
  /// The author of the original, if the item is a copy.
  var originalAuthor: String?

  /// Whether others may make copies: the item's setting, or true if there is none.
  var canFork: Bool { publicMetadata?.canFork ?? true }

  /// Makes the item public.
  mutating func publish(as publicID: String, at date: Timestamp, by author: String, authorID: String?) {
    var metadata = publicMetadata ?? PublicMetadata()
    metadata.publicID = publicID
    metadata.publishedAt = date.secondsSince2001
    metadata.canFork = canFork
    metadata.authorUsername = author
    metadata.authorUserID = authorID?.uppercased() ?? metadata.authorUserID
    publicMetadata = metadata
    visibility = LibraryItem.Visibility.ofPublished(visibility, publicID: self.publicID)
    self.publicID = publicID
    publishedAt = publishedAt ?? date
  }

  /// Makes the item private.
  mutating func withdraw() {
    visibility = LibraryItem.Visibility.private
    publicID = nil
    publishedAt = nil
    publicMetadata = nil
  }
}

extension LibraryItem.Visibility {
  /// Returns the visibility of an item that a registry has or will get. An unlisted publication stays unlisted, because
  /// only its owner may make it public.
  /// - Parameters:
  ///   - visibility: the item's current visibility.
  ///   - publicID: the item's current public id; nil if it has no publication yet.
  static func ofPublished(_ visibility: String, publicID: String?) -> String {
    publicID != nil && visibility == unlisted ? unlisted : `public`
  }
}

/// The items in the library itself: rows of `library_content`.
final class LibraryEnvelopes: ItemEnvelopes {
  private let table: QueueTable

  init(_ table: QueueTable) { self.table = table }

  func title(of contentID: String) throws -> String? {
    let query = try table.statement("SELECT title FROM library_content WHERE id = ?1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    return try query.step() ? query.text(at: 0) ?? "" : nil
  }

  func envelope(of contentID: String) throws -> ItemEnvelope? {
    let query = try table.statement(
      """
      SELECT title, visibility, syncStatus, publicID, publishedAt, publicMetadata, originalAuthorUsername
      FROM library_content WHERE id = ?1
      """)
    query.bind(contentID, at: 1)
    defer { query.reset() }
    guard try query.step() else { return nil }
    return ItemEnvelope(
      title: query.text(at: 0) ?? "", visibility: query.text(at: 1) ?? "", syncStatus: query.text(at: 2) ?? "",
      publicID: query.text(at: 3), publishedAt: query.text(at: 4).flatMap { Timestamp.parse($0)?.0 },
      publicMetadata: query.text(at: 5).flatMap(Self.metadata), originalAuthor: query.text(at: 6))
  }

  func write(_ envelope: ItemEnvelope, to contentID: String) throws {
    let update = try table.statement(
      """
      UPDATE library_content SET visibility = ?2, syncStatus = ?3, publicID = ?4, publishedAt = ?5, publicMetadata = ?6
      WHERE id = ?1
      """)
    update.bind(contentID, at: 1)
    update.bind(envelope.visibility, at: 2)
    update.bind(envelope.syncStatus, at: 3)
    func bind(_ text: String?, at index: Int) {
      if let text { update.bind(text, at: index) } else { update.bindNull(at: index) }
    }
    bind(envelope.publicID, at: 4)
    bind(envelope.publishedAt?.columnText, at: 5)
    bind(envelope.publicMetadata.map(Self.text), at: 6)
    try update.run()
  }

  /// Writes only the status and leaves the other columns unchanged, whatever they contain.
  func write(status: String, to contentID: String) throws {
    let update = try table.statement("UPDATE library_content SET syncStatus = ?2 WHERE id = ?1")
    update.bind(contentID, at: 1)
    update.bind(status, at: 2)
    try update.run()
  }

  func syncing() throws -> [String] {
    try table.connection.rows("SELECT id FROM library_content WHERE syncStatus = 'syncing'").compactMap { $0[0] }
  }

  func published() throws -> [(id: String, slug: String)] {
    try table.connection.rows("SELECT id, publicID FROM library_content WHERE publicID IS NOT NULL ORDER BY id").map {
      (id: $0[0] ?? "", slug: $0[1] ?? "")
    }
  }

  // MARK: publicMetadata

  /// Reads the app's JSON and keeps members that the app does not define.
  static func metadata(_ text: String) -> PublicMetadata? {
    guard let root = try? JSONDocument(parsing: text).root, root.kind == .object else { return nil }
    var metadata = PublicMetadata(
      publishedAt: root["publishedAt"]?.double, publicID: root["publicID"]?.string, canFork: root["canFork"]?.bool,
      authorUsername: root["authorUsername"]?.string, authorUserID: root["authorUserId"]?.string)
    for (name, value) in root.members where !known.contains(name) {
      metadata.extras.append(ExtraMember(name: name, json: value.text))
    }
    return metadata
  }

  private static let known: Set<String> = ["publishedAt", "publicID", "canFork", "authorUsername", "authorUserId"]

  private static func text(_ metadata: PublicMetadata) -> String {
    var out = ByteBuffer(capacity: 256)
    func member(_ name: StaticString, _ write: (inout ByteBuffer) -> Void) {
      out.append(out.count == 0 ? "{\"" : ",\"")
      out.append(name)
      out.append("\":")
      write(&out)
    }
    if let publishedAt = metadata.publishedAt { member("publishedAt") { $0.append(utf8: "\(publishedAt)") } }
    if let publicID = metadata.publicID { member("publicID") { $0.appendJSONString(publicID) } }
    if let canFork = metadata.canFork { member("canFork") { $0.append(canFork ? "true" : "false") } }
    if let author = metadata.authorUsername { member("authorUsername") { $0.appendJSONString(author) } }
    if let author = metadata.authorUserID { member("authorUserId") { $0.appendJSONString(author) } }
    for extra in metadata.extras {
      out.append(out.count == 0 ? "{" : ",")
      out.appendJSONString(extra.name)
      out.append(":")
      out.append(utf8: extra.json)
    }
    out.append(out.count == 0 ? "{}" : "}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

/// The items in the sidecar: canonical lines in `records` of `state.sqlite`.
final class DeckEnvelopes: ItemEnvelopes {
  private let table: QueueTable
  /// The run whose end makes the changes take effect; nil if they take effect immediately.
  private let run: Int64?

  init(_ table: QueueTable, stagedFor run: Int64? = nil) {
    self.table = table
    self.run = run
  }

  func envelope(of contentID: String) throws -> ItemEnvelope? {
    guard let item = try item(contentID) else { return nil }
    return ItemEnvelope(
      title: item.title, visibility: item.visibility, syncStatus: item.syncStatus, publicID: item.publicID,
      publishedAt: item.publishedAt, publicMetadata: item.publicMetadata, originalAuthor: item.originalAuthorUsername)
  }

  func write(_ envelope: ItemEnvelope, to contentID: String) throws {
    guard var item = try item(contentID) else { return }
    item.visibility = envelope.visibility
    item.syncStatus = envelope.syncStatus
    item.publicID = envelope.publicID
    item.publishedAt = envelope.publishedAt
    item.publicMetadata = envelope.publicMetadata
    let update = try table.statement(
      run.map { "INSERT OR REPLACE INTO staged_records (run, kind, id, line) VALUES (\($0), 'item', ?1, ?2)" }
        ?? "UPDATE records SET line = ?2 WHERE kind = 'item' AND id = ?1")
    update.bind(contentID, at: 1)
    update.bind(blob: Array(try TypedRecord.item(item).canonicalLine().utf8), at: 2)
    try update.run()
  }

  func write(status: String, to contentID: String) throws {
    guard var envelope = try envelope(of: contentID), envelope.syncStatus != status else { return }
    envelope.syncStatus = status
    try write(envelope, to: contentID)
  }

  func syncing() throws -> [String] {
    let query = try table.statement("SELECT DISTINCT contentID FROM sync_queue WHERE syncedAt IS NULL")
    defer { query.reset() }
    var ids: [String] = []
    while try query.step() { ids.append(query.text(at: 0) ?? "") }
    return try ids.filter { try item($0)?.syncStatus == LibraryItem.SyncStatus.syncing }
  }

  func published() throws -> [(id: String, slug: String)] {
    let query = try table.statement(
      "SELECT id FROM records WHERE kind = 'item' AND instr(line, CAST('\"public_id\":\"' AS BLOB)) > 0 ORDER BY id")
    var ids: [String] = []
    while try query.step() { ids.append(query.text(at: 0) ?? "") }
    query.reset()
    return try ids.compactMap { id in try item(id)?.publicID.map { (id: id, slug: $0) } }
  }

  private func item(_ contentID: String) throws -> LibraryItem? {
    let staged = run.map {
      "SELECT line FROM staged_records WHERE run = \($0) AND kind = 'item' AND id = ?1 UNION ALL "
    }
    let query = try table.statement((staged ?? "") + "SELECT line FROM records WHERE kind = 'item' AND id = ?1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    guard try query.step(),
      case .item(let item)? = try? TypedRecord(json: JSONDocument(parsing: query.blob(at: 0).span).root)
    else { return nil }
    return item
  }
}
