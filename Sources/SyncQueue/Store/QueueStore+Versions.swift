import Content
import SQLiteIO

/// Records which versions of an item come from this library. If an answer was lost, one of them may be public.
extension QueueStore {
  /// Records a version that was sent and not answered, even if the row gets another payload later.
  func remember(_ operation: ClaimedOperation) throws(SQLiteError) {
    guard let beside, let digest = operation.digest else { return }
    let insert = try beside.statement("INSERT OR IGNORE INTO tried_versions (content_id, digest) VALUES (?1, ?2)")
    insert.bind(operation.row.contentID, at: 1)
    insert.bind(digest, at: 2)
    try insert.run()
  }

  /// Whether a version of an item comes from this queue and may be public although the registry's answer has not
  /// arrived: it was tried, or the app sent it itself after the registry's last answer.
  ///
  /// Answered versions do not count: if one of them is public again, its owner has decided so.
  func isOwn(_ digest: String, of row: QueueEntry, _ table: QueueTable) throws -> Bool {
    if let beside {
      let query = try beside.statement("SELECT 1 FROM tried_versions WHERE content_id = ?1 AND digest = ?2")
      query.bind(row.contentID, at: 1)
      query.bind(digest, at: 2)
      defer { query.reset() }
      if try query.step() { return true }
    }
    let answered = try answer(of: row.contentID)
    for other in try table.all(of: row.contentID) where answered.isOpen(other) {
      guard other.kind != .unpublish, other.id != row.id, let payload = try table.row(other.id.number)?.payload else {
        continue
      }
      if payloadVersions.digest(of: payload) == digest { return true }
    }
    return false
  }

  /// The time of the registry's last answer about an item.
  private enum Answer {
    case none
    /// The time of the answer; nil where it cannot be read.
    case at(Timestamp?)

    /// Whether this answer does not cover a row's result.
    func isOpen(_ row: QueueEntry) -> Bool {
      guard let sent = row.syncedAt else { return row.mayHaveArrived }
      guard case .at(let moment) = self else { return true }
      // The app and a pull write times in different formats.
      guard let moment, let sent = Timestamp.parse(sent)?.0 else { return false }
      return sent > moment
    }
  }

  private func answer(of contentID: String) throws(SQLiteError) -> Answer {
    guard let beside else { return .none }
    let query = try beside.statement("SELECT synced_at FROM publications WHERE content_id = ?1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    return try query.step() ? .at(query.text(at: 0).flatMap { Timestamp.parse($0)?.0 }) : .none
  }

  /// Returns an operation to the queue after finding that it has to follow another version from this library. It is
  /// sent again immediately and uses up no try.
  func follow(
    _ digest: String, _ operation: ClaimedOperation, _ table: QueueTable, _ envelopes: any ItemEnvelopes,
    _ moment: Timestamp
  ) throws -> Settled {
    let row = operation.row
    guard try table.note(row, retryCount: row.retryCount, error: row.lastError, nextRetryAt: nil) else {
      return Settled(operation: operation, result: .gone)
    }
    let slug = operation.known?.publicID ?? Payload.publicID(row.payload) ?? ""
    try write(KnownPublication(publicID: slug, digest: digest), of: row.contentID, at: moment.columnText)
    try envelopes.write(status: LibraryItem.SyncStatus.queued, to: row.contentID)
    return Settled(
      operation: operation, result: .waiting, next: try table.first(of: row.contentID, now: moment.columnText))
  }
}

/// Computes the versions of payloads. Not thread-safe.
final class PayloadVersions {
  private lazy var writer = try? PayloadWriter()

  /// Returns the digest that an item has after a payload was published; nil when a registry would refuse the payload.
  func digest(of payload: [UInt8]) -> String? {
    (writer?.meaning(of: String(decoding: payload, as: UTF8.self), now: QueueStore.timestamp)).map {
      Digest.hex($0.digest)
    }
  }
}
