import Content
import JSONText
import SQLiteIO

extension QueueStore {
  /// The result of claiming rows.
  struct Claim {
    /// Rows that were marked as being sent, in their order.
    var taken: [ClaimedOperation] = []
    /// Rows that left the queue because a later one withdraws them.
    var cancelled: [QueueEntry] = []
    /// Rows that cannot be sent yet, with the reason.
    var waiting: [(row: QueueEntry, why: String)] = []
    /// The next rows of the same items, which may be sent now.
    var next: [QueueTable.Candidate] = []
    /// The number of rows that were considered; the others exceeded the limit.
    var looked = 0
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
          claim.looked += 1
          continue
        }
        let size = row.payload?.count ?? 0
        if bytes > 0, bytes + size > limit { break }
        claim.looked += 1
        let envelope = try envelopes.look(row.contentID)
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
          _ = try table.note(
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
          _ = try table.note(row, retryCount: QueueEntry.tries, error: row.lastError, nextRetryAt: nil)
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
      let title = try envelopes(table.place)?.look(local)?.title ?? local
      return .waiting("it is a fork of “\(title)”, which must be published first")
    }
    for table in tables {
      if let slug = try known?.publicID ?? envelopes(table.place)?.look(local)?.publicID { return .named(slug) }
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
  func wasTried(_ slug: String, of contentID: String) throws(SQLiteError) -> Bool {
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
