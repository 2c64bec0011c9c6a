import Content
import Foundation
import Interchange
import JSONText
import SQLiteLibrary

/// The consequences of removing a row from the queue.
package struct CancelPlan: Sendable {
  /// The row.
  package let row: QueueEntry
  /// Whether the row's item is marked as being sent.
  package let isBeingSent: Bool
  /// The title that the item had before it got one that was never sent; the item keeps the new title. Nil if the title
  /// was not changed.
  package let oldTitle: String?

  /// Whether the registry may already have carried out the row's operation.
  package var mayHaveArrived: Bool { row.mayHaveArrived || isBeingSent }
}

/// The result for an item whose row was removed from the queue.
package struct CancelResult: Sendable {
  /// The public id under which others may see the item although the item is private here, because its visibility before
  /// the withdrawal is unknown; nil if that visibility is known.
  package var mayBePublicAs: String?
}

extension QueueStore {
  /// The consequences of removing a row from the queue.
  /// - Throws: `RunFailure`: 64 if there is no such row, 4 if the row was sent.
  package func cancelPlan(_ id: OperationID) throws -> CancelPlan {
    guard let row = try operation(id) else {
      throw RunFailure(
        .usage, "cancel operation \(id): '\(path)' has no operation with this number",
        advice: "'fleetkit queue \(path)' lists the operations.")
    }
    if row.syncedAt != nil {
      throw RunFailure(
        .refused, "cancel operation \(id): it was already sent and is kept as a record",
        advice: row.kind == .unpublish ? nil : "'fleetkit unpublish' withdraws the publication.")
    }
    let status = try read { try envelopes(id.place)?.envelope(of: row.contentID)?.syncStatus }
    let isFirst = try read { try table(id.place)?.firstLive(of: row.contentID)?.id == id }
    return CancelPlan(
      row: row, isBeingSent: isFirst && status == LibraryItem.SyncStatus.syncing,
      oldTitle: try read { try oldTitle(row) })
  }

  /// Returns the title that an item had before a run gave it its current title, if the current title has not been sent
  /// since.
  private func oldTitle(_ row: QueueEntry) throws -> String? {
    guard row.kind == .publish || row.kind == .publishUpdate, let title = row.title, let beside else { return nil }
    for run in try StateStore.runs(beside.connection) where run.state == .done {
      guard let renamed = run.detail.flatMap(RenamedItem.init(detail:)),
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

  /// Removes an unsent row from the queue and sets its item to the state without that row.
  ///
  /// When a withdrawal is removed, the item gets the publication state that it had before. If that is unknown, for
  /// example because the app queued the withdrawal, the item stays private: it may have been unlisted.
  /// - Returns: nil if the row no longer existed.
  package func cancel(_ plan: CancelPlan) throws -> CancelResult? {
    let row = plan.row
    guard let table = table(row.id.place), let envelopes = envelopes(row.id.place), let beside else { return nil }
    let earlier = PriorStates(beside.connection)
    return try change([row.id.place, .beside]) {
      guard try table.remove(row) else { return nil }
      var result = CancelResult()
      guard var envelope = try envelopes.envelope(of: row.contentID) else { return result }
      let others = try table.all(of: row.contentID)
      let later = others.filter { ($0.createdAt, $0.id.number) > (row.createdAt, row.id.number) }
      // A later operation that was sent supersedes the row; the item already has the result.
      if later.contains(where: { $0.syncedAt != nil }), !others.contains(where: \.isLive) { return result }
      // The item's state follows its owner's last request, whether sent or not.
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
      // A row that has only the public id proves nothing: the only publication may have failed.
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
  /// Returns all rows of an item in their order, without payloads.
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

/// The title that a run gave an item, recorded in the ledger so that it can be reverted.
struct RenamedItem: Sendable {
  /// The item's id.
  let id: String
  /// The title before the run.
  let from: String
  /// The title after the run.
  let to: String

  init(id: String, from: String, to: String) {
    self.id = id
    self.from = from
    self.to = to
  }

  /// Reads a run's details; nil if the run renamed nothing.
  init?(detail: String) {
    guard let item = (try? JSONDocument(parsing: detail))?.root["renamed"], let id = item["id"]?.string,
      let from = item["from"]?.string, let to = item["to"]?.string
    else { return nil }
    self.init(id: id, from: from, to: to)
  }

  /// The details to record for the run, as a JSON object.
  var detail: String {
    var out = ByteBuffer(capacity: 256)
    out.append("{\"renamed\":{\"id\":")
    out.appendJSONString(id)
    out.append(",\"from\":")
    out.appendJSONString(from)
    out.append(",\"to\":")
    out.appendJSONString(to)
    out.append("}}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
