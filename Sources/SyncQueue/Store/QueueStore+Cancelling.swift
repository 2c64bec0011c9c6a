import Content
import Foundation
import Interchange
import SQLiteLibrary

/// What taking a row out of the queue would mean.
package struct CancelPlan: Sendable {
  /// The row.
  package let row: QueueEntry
  /// Whether its item is marked as being sent.
  package let isBeingSent: Bool
  /// The title that the item had before it got the one that was never sent, which it keeps; nil where it got none.
  package let oldTitle: String?

  /// Whether the registry may have done already what the row asks for.
  package var mayHaveArrived: Bool { row.mayHaveArrived || isBeingSent }
}

/// What became of an item when a row was taken out of the queue.
package struct CancelResult: Sendable {
  /// The public id under which others may see the item although it is private here, because its visibility before the
  /// withdrawal is unknown; nil where that is known.
  package var mayBePublicAs: String?
}

extension QueueStore {
  /// What taking a row out of the queue would mean.
  /// - Throws: `RunFailure`: 64 when there is no such row, 4 when it was sent.
  package func cancelPlan(_ id: OperationID) throws -> CancelPlan {
    guard let row = try operation(id) else {
      throw RunFailure(
        .usage, "cancel operation \(id): '\(path)' has none of that number",
        advice: "'fleetkit queue \(path)' lists them.")
    }
    if row.syncedAt != nil {
      throw RunFailure(
        .refused, "cancel operation \(id): it was sent already, and stays as a memory of that",
        advice: row.kind == .unpublish ? nil : "'fleetkit unpublish' takes back what is public.")
    }
    let status = try read { try envelopes(id.place)?.look(row.contentID)?.syncStatus }
    let isFirst = try read { try table(id.place)?.firstLive(of: row.contentID)?.id == id }
    return CancelPlan(
      row: row, isBeingSent: isFirst && status == LibraryItem.SyncStatus.syncing,
      oldTitle: try read { try oldTitle(row) })
  }

  /// The title that an item had before a run gave it the one that it has now, and that was not sent since.
  private func oldTitle(_ row: QueueEntry) throws -> String? {
    guard row.kind == .publish || row.kind == .publishUpdate, let title = row.title, let beside else { return nil }
    for run in try StateStore.runs(beside.connection) where run.state == .done {
      guard let renamed = run.detail.flatMap(Renamed.init(detail:)),
        renamed.id.caseInsensitiveCompare(row.contentID) == .orderedSame
      else { continue }
      guard renamed.to == title, let begun = Timestamp.parse(run.started)?.0 else { return nil }
      let isSent = try table(row.id.place)?.all(of: row.contentID).contains { other in
        other.syncedAt.flatMap { Timestamp.parse($0)?.0 }.map { $0 >= begun } ?? false
      }
      return isSent == true ? nil : renamed.from
    }
    return nil
  }

  /// Takes an unsent row out of the queue and makes its item say what is so without it.
  ///
  /// Without a withdrawal an item has the publication that it had before. Where that is unknown, because the app queued
  /// the withdrawal for example, the item stays private: it may have been unlisted.
  /// - Returns: nil when the row was not there any more.
  package func cancel(_ plan: CancelPlan) throws -> CancelResult? {
    let row = plan.row
    guard let table = table(row.id.place), let envelopes = envelopes(row.id.place), let beside else { return nil }
    let earlier = EarlierStates(beside.connection)
    return try change([row.id.place, .beside]) {
      guard try table.remove(row) else { return nil }
      var result = CancelResult()
      guard var envelope = try envelopes.look(row.contentID) else { return result }
      let others = try table.all(of: row.contentID)
      let later = others.filter { ($0.createdAt, $0.id.number) > (row.createdAt, row.id.number) }
      // What was sent later has overtaken it: the item says what came of that.
      if later.contains(where: { $0.syncedAt != nil }), !others.contains(where: \.isLive) { return result }
      // The item says what its owner asked for last, sent or not.
      let last = others.last { $0.isLive || $0.syncedAt != nil }
      let payload = try last.flatMap { try table.row($0.id.number) }?.payload
      let isLast = !later.contains { $0.isLive || $0.syncedAt != nil }
      switch row.kind {
      case .publish where last == nil || last?.kind == .unpublish:
        envelope.withdraw()
        if isLast { _ = try earlier.restore(&envelope, before: row) }
      case .unpublish where isLast:
        if try !earlier.restore(&envelope, before: row), let slug = Payload.publicID(row.payload),
          last?.kind != .unpublish || Payload.publicID(payload) != slug
        {
          result.mayBePublicAs = slug
        }
      default: break
      }
      // A row that says only the public id is no proof: a publication that was given up may be all that there was.
      let isOnlyFailed =
        PublicIDPayload.isWhole(payload.map { String(decoding: $0, as: UTF8.self) })
        && others.contains { $0.kind == .publish && $0.isFailed }
      let isPublished = last != nil || envelope.visibility != LibraryItem.Visibility.private
      envelope.syncStatus =
        isOnlyFailed
        ? LibraryItem.SyncStatus.failed
        : others.contains(where: \.isLive)
          ? LibraryItem.SyncStatus.queued
          : row.kind == .unpublish && isPublished ? LibraryItem.SyncStatus.synced : LibraryItem.SyncStatus.pending
      try envelopes.write(envelope, to: row.contentID)
      return result
    }
  }
}

extension QueueTable {
  /// All rows of an item in their order, without payloads.
  func all(of contentID: String) throws -> [QueueEntry] {
    let query = try statement("SELECT id FROM sync_queue WHERE contentID = ?1 ORDER BY createdAt, id")
    query.bind(contentID, at: 1)
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.integer(at: 0)) }
    query.reset()
    return try numbers.compactMap { number in
      var row = try row(number)
      row?.payload = nil
      return row
    }
  }
}
