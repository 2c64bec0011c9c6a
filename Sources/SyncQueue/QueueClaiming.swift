import Content
import JSONText
import SQLiteIO

extension QueueStore {
  /// The result of claiming rows.
  struct Claim {
    /// Rows that were marked as being sent, in their order.
    var taken: [ClaimedOperation] = []
    /// Rows that left the queue because a later row withdraws what they publish.
    var cancelled: [QueueEntry] = []
    /// Rows that cannot be sent yet, with the reason.
    var waiting: [(row: QueueEntry, why: String)] = []
    /// The next rows of the same items, which may be sent now.
    var next: [QueueTable.Candidate] = []
    /// The number of rows that were considered; the others exceeded the limit.
    var considered = 0
  }

  /// Takes rows out of the queue to send them: their items are marked as being sent.
  ///
  /// - Parameter bytes: the maximum number of payload bytes; the first row always fits.
  func claim(_ candidates: [QueueTable.Candidate], bytes limit: Int) throws -> Claim {
    try change(Set(candidates.map(\.id.place))) {
      var claim = Claim()
      var bytes = 0
      let epoch = try epoch()
      for candidate in candidates {
        guard let table = table(candidate.id.place), let envelopes = envelopes(candidate.id.place) else { continue }
        // The candidate was listed a while ago. Since then it may have been sent, cancelled, replaced or postponed.
        guard try table.first(of: candidate.contentID, now: Self.now)?.id == candidate.id,
          var row = try table.row(candidate.id.number)
        else {
          claim.considered += 1
          continue
        }
        let size = row.payload?.count ?? 0
        if bytes > 0, bytes + size > limit { break }
        claim.considered += 1
        let envelope = try envelopes.envelope(of: row.contentID)
        row.title = envelope?.title
        row.canFork = envelope?.canFork ?? true
        row.originalAuthor = envelope?.originalAuthor
        guard envelope != nil else {
          claim.waiting.append((row, "its item is no longer in the library; 'fleetkit doctor --repair' repairs this"))
          continue
        }
        guard let kind = row.kind else {
          claim.waiting.append((row, "unknown operation '\(row.operation)', written by a newer app"))
          continue
        }
        if kind != .unpublish, try cancel(row, kind, table, &claim) {
          if let next = try table.first(of: row.contentID, now: Self.now) {
            claim.next.append(next)
          } else if !(try table.hasUnsentLive(row.contentID)) {
            try envelopes.write(status: LibraryItem.SyncStatus.pending, to: row.contentID)
          }
          continue
        }
        let parent = try parent(of: row)
        if case .waiting(let why) = parent {
          claim.waiting.append((row, why))
          continue
        }
        var taken = ClaimedOperation(row: row, kind: kind, known: try publication(of: row.contentID), epoch: epoch)
        if case .known(let id) = parent { taken.parentID = id }
        if case .named(let slug) = parent { taken.parentSlug = slug }
        if kind == .unpublish, row.lastError != Self.asksAgain {
          taken.mayArriveLate = try mayArriveLate(Payload.publicID(row.payload), taken.known, of: row, table)
        }
        try envelopes.write(status: LibraryItem.SyncStatus.syncing, to: row.contentID)
        // The item's status alone is not enough: a program that changes the item in the meantime resets the status to
        // waiting.
        if !row.mayHaveArrived {
          _ = try table.update(
            row, retryCount: row.retryCount, error: Self.interrupted, nextRetryAt: row.nextRetryAt)
        }
        claim.taken.append(taken)
        bytes += size
      }
      return claim
    }
  }

  // MARK: Publications that are withdrawn later

  /// Removes a publication that a later row withdraws. Also removes that later row if the registry cannot have received
  /// the publication.
  ///
  /// A publication that its owner withdrew is no longer sent: it would be public for a moment.
  /// - Returns: whether the row has left the queue.
  private func cancel(
    _ row: QueueEntry, _ kind: QueueOperation, _ table: QueueTable, _ claim: inout Claim
  ) throws -> Bool {
    guard let slug = Payload.publicID(row.payload) else { return false }
    var dropped = [row]
    for later in try table.unsent(after: row) where later.isLive {
      guard let laterKind = later.kind, Payload.publicID(later.payload) == slug else { return false }
      guard laterKind == .unpublish else {
        dropped.append(later)
        continue
      }
      let isKnown = try publication(of: row.contentID)?.publicID == slug || table.wasSent(slug, of: row.contentID)
      let mayHaveArrived = dropped.contains(where: \.mayHaveArrived)
      if !isKnown, kind == .publish, !mayHaveArrived { dropped.append(later) }
      for row in dropped {
        if !isKnown, row.mayHaveArrived {
          // The row is kept as failed: the withdrawal must be able to tell that the publication may still arrive.
          _ = try table.update(row, retryCount: QueueEntry.tries, error: row.lastError, nextRetryAt: nil)
          claim.cancelled.append(row)
        } else if try table.remove(row) {
          claim.cancelled.append(row)
        }
      }
      return true
    }
    return false
  }

  /// Whether a publication without an answer may still be in transit when it is withdrawn: the network may delay a
  /// request to the registry.
  private func mayArriveLate(
    _ slug: String?, _ known: KnownPublication?, of row: QueueEntry, _ table: QueueTable
  ) throws -> Bool {
    guard let slug, known?.publicID != slug, try !table.wasSent(slug, of: row.contentID) else { return false }
    return try table.wasTried(slug, of: row.contentID)
  }

  /// The error message of a withdrawal that found nothing and is to be sent once more.
  static let asksAgain = "nothing is public under its public id yet; its publication may still arrive"

  // MARK: Forks

  private enum Parent {
    /// The item is not a fork, or its original already has the registry's id.
    case settled
    /// The registry's id of the original.
    case known(String)
    /// The original is public under this slug; its registry id is unknown.
    case named(String)
    /// The original must be published first.
    case waiting(String)
  }

  private func parent(of row: QueueEntry) throws -> Parent {
    guard let payload = row.payload, Payload.mentionsParent(payload), row.operation == QueueOperation.publish.rawValue,
      let parent = Payload.parent(payload)
    else { return .settled }
    let local = CanonicalUUID.canonical(parent)
    guard local != row.contentID else { return .settled }
    let known = try publication(of: local)
    if let id = known?.registryID { return .known(id) }
    for table in tables where try table.hasLive(local, .publish) {
      let title = try envelopes(table.place)?.envelope(of: local)?.title ?? local
      return .waiting("it is a fork of “\(title)”, which must be published first")
    }
    for table in tables {
      if let slug = try known?.publicID ?? envelopes(table.place)?.envelope(of: local)?.publicID { return .named(slug) }
    }
    return .settled
  }
}

extension QueueTable {
  /// Whether an item has a live row.
  func hasUnsentLive(_ contentID: String) throws(SQLiteError) -> Bool {
    let query = try statement("SELECT 1 FROM sync_queue WHERE contentID = ?1 AND \(Self.live) LIMIT 1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    return try query.step()
  }

  /// Whether a publication of an item under this slug was tried and its outcome is unknown.
  fileprivate func wasTried(_ slug: String, of contentID: String) throws(SQLiteError) -> Bool {
    let query = try statement(
      """
      SELECT 1 FROM sync_queue WHERE contentID = ?1 AND operation <> 'unpublish' AND syncedAt IS NULL
      AND (retryCount > 0 OR lastError IS NOT NULL) AND instr(payload, ?2) > 0 LIMIT 1
      """)
    query.bind(contentID, at: 1)
    query.bind(slug, at: 2)
    defer { query.reset() }
    return try query.step()
  }

  /// Whether a publication of an item under this slug was sent from this library. A row that has only the slug proves
  /// nothing.
  func wasSent(_ slug: String, of contentID: String) throws(SQLiteError) -> Bool {
    let query = try statement(
      """
      SELECT 1 FROM sync_queue
      WHERE contentID = ?1 AND operation <> 'unpublish' AND syncedAt IS NOT NULL AND instr(payload, ?2) > 0
      AND (instr(payload, '"content_data"') > 0 OR instr(payload, '"contentData"') > 0) LIMIT 1
      """)
    query.bind(contentID, at: 1)
    query.bind(slug, at: 2)
    defer { query.reset() }
    return try query.step()
  }
}

extension QueueStore {
  /// Recovers the rows that a killed run left behind: items that are marked as being sent wait again, and their rows
  /// record that the request may have arrived. The caller must hold the sync lock.
  package func recoverInterruptedRows() throws {
    var found: [(ItemEnvelopesAt, [String])] = []
    try read {
      for table in tables {
        guard let envelopes = envelopes(table.place) else { continue }
        let ids = try envelopes.syncing()
        if !ids.isEmpty { found.append((ItemEnvelopesAt(table: table, envelopes: envelopes), ids)) }
      }
    }
    guard !found.isEmpty else { return }
    try change(Set(found.map(\.0.table.place))) {
      for (place, ids) in found {
        for id in ids {
          guard let row = try place.table.firstLive(of: id) else {
            // No operation waits, so the item is treated as changed since it was last sent.
            try place.envelopes.write(status: LibraryItem.SyncStatus.pending, to: id)
            continue
          }
          if row.lastError.map(SendingError.isOffline) ?? true {
            _ = try place.table.update(
              row, retryCount: row.retryCount, error: Self.interrupted, nextRetryAt: row.nextRetryAt)
          }
          try place.envelopes.write(status: LibraryItem.SyncStatus.queued, to: id)
        }
      }
    }
  }

  private struct ItemEnvelopesAt {
    let table: QueueTable
    let envelopes: any ItemEnvelopes
  }

  static let interrupted = "it was being sent, and no answer has come yet"

  /// Resets failed rows for another try, except rows that a later row has superseded. A publication under another slug
  /// does not supersede a withdrawal.
  /// - Parameter id: the row to reset; nil for all failed rows.
  /// - Returns: the number of rows that were reset.
  package func retryFailed(_ id: OperationID? = nil) throws -> Int {
    try change([.library, .beside]) {
      var count = 0
      for table in tables where id == nil || id?.place == table.place {
        let reset = """
          syncedAt IS NULL AND retryCount >= \(QueueEntry.tries)
          \(id.map { "AND id = \($0.number)" } ?? "")
          AND NOT EXISTS (SELECT 1 FROM sync_queue AS l WHERE \(Self.isOvertaken("sync_queue", by: "l")))
          """
        if table.place == .library {
          try table.connection.execute(
            """
            UPDATE library_content SET syncStatus = 'queued' WHERE id IN (SELECT contentID FROM sync_queue WHERE \(reset))
            """)
        } else {
          for item in try table.connection.rows("SELECT DISTINCT contentID FROM sync_queue WHERE \(reset)") {
            try deckEnvelopes?.write(status: LibraryItem.SyncStatus.queued, to: item[0] ?? "")
          }
        }
        try table.connection.execute(
          "UPDATE sync_queue SET retryCount = 0, lastError = NULL, nextRetryAt = NULL WHERE \(reset)")
        count += table.connection.changes
      }
      if count > 0 { try beginEpoch() }
      return count
    }
  }
}

extension QueueStore {
  /// Returns the failed rows of a queue that a later row has superseded; they are not sent again.
  package func overtaken(_ place: QueuePlace) throws -> Set<Int64> {
    guard let table = table(place) else { return [] }
    return try read(table) {
      // A join: SQLite makes an index for it if there is none.
      let query = try table.connection.prepare(
        """
        SELECT f.id FROM sync_queue AS f JOIN sync_queue AS l ON \(Self.isOvertaken("f", by: "l"))
        WHERE f.syncedAt IS NULL AND f.retryCount >= \(QueueEntry.tries)
        """)
      var found = Set<Int64>()
      while try query.step() { found.insert(query.integer(at: 0)) }
      return found
    }
  }

  /// Returns an SQL condition: whether a later row of the same item makes a failed row obsolete.
  private static func isOvertaken(_ row: String, by later: String) -> String {
    """
    \(later).contentID = \(row).contentID
    AND (\(later).createdAt, \(later).id) > (\(row).createdAt, \(row).id)
    AND (\(later).syncedAt IS NOT NULL OR \(later).operation = 'unpublish')
    AND (\(row).operation <> 'unpublish' OR ifnull(\(slug(later)) = \(slug(row)), TRUE))
    """
  }

  /// Returns an SQL expression for the slug in a row's payload; NULL if there is none.
  private static func slug(_ table: String) -> String {
    "CASE WHEN json_valid(\(table).payload) THEN json_extract(\(table).payload, '$.public_id') END"
  }
}

extension QueueTable {
  /// Returns the first live row of an item, whether its wait is over or not.
  func firstLive(of contentID: String) throws(SQLiteError) -> QueueEntry? {
    let query = try statement(
      "SELECT id FROM sync_queue WHERE contentID = ?1 AND \(Self.live) ORDER BY createdAt, id LIMIT 1")
    query.bind(contentID, at: 1)
    guard try query.step() else {
      query.reset()
      return nil
    }
    let number = query.integer(at: 0)
    query.reset()
    return try row(number)
  }
}

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
    /// The time of the answer; nil if it cannot be read.
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
    guard try table.update(row, retryCount: row.retryCount, error: row.lastError, nextRetryAt: nil) else {
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

  /// Returns the digest that an item has after a payload was published; nil if a registry would refuse the payload.
  func digest(of payload: [UInt8]) -> String? {
    (writer?.meaning(of: String(decoding: payload, as: UTF8.self), now: QueueStore.timestamp)).map {
      Digest.hex($0.digest)
    }
  }
}
