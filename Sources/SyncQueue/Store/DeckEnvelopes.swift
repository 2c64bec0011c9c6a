import Content
import JSONText
import SQLiteIO

/// The items in the sidecar: canonical lines in `records` of `state.sqlite`.
final class DeckEnvelopes: ItemEnvelopes {
  private let table: QueueTable
  /// The run whose end makes the changes take effect; nil if they take effect immediately.
  private let run: Int64?

  init(_ table: QueueTable, stagedFor run: Int64? = nil) {
    self.table = table
    self.run = run
  }

  func look(_ contentID: String) throws -> ItemEnvelope? {
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
    guard var envelope = try look(contentID), envelope.syncStatus != status else { return }
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
      case .item(let item)? = try? TypedRecord(json: JSONDocument(parsing: query.blob(at: 0)).root)
    else { return nil }
    return item
  }
}
