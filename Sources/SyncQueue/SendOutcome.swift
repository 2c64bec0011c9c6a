import Content
import Foundation
import RegistryClient
import SQLiteIO

/// The outcome of sending an operation.
package enum SendOutcome: Sendable, Equatable {
  /// The item is public, as requested.
  case published(Publication)
  /// The item is no longer public, or never was.
  case withdrawn
  /// The operation can never be carried out; the row fails.
  case refused(Reason)
  /// The operation is based on a version other than the public one, which has this digest. The operation fails unless
  /// the public version came from this queue.
  case overtaken(digest: String, Reason)
  /// The operation was not carried out, or the outcome is unknown; a try is used up.
  case tried(Reason)
  /// There was nothing to withdraw, but a publication may still arrive; the request is repeated after the given number
  /// of seconds.
  case again(String, seconds: Double)
  /// The operation returns to the queue unchanged. The string is the reason why its request may nevertheless have
  /// arrived; nil if the request never reached the registry.
  case unsent(String?)

  /// The known data of a publication.
  package struct Publication: Sendable, Equatable {
    package var publicID: String
    package var registryID: String?
    package var digest: String?
    package var date: Timestamp?
    package var authorUsername: String?
    package var authorUserID: String?
    /// The registry's deviations from the request, one sentence each.
    package var notes: [String] = []

    init(_ receipt: PublicationReceipt) {
      publicID = receipt.publicID
      registryID = receipt.id
      digest = receipt.digest
      date = receipt.date
      authorUsername = receipt.authorUsername
      authorUserID = receipt.authorUserID
      notes = receipt.notes
    }

    init(publicID: String, digest: String) {
      self.publicID = publicID
      self.digest = digest
    }
  }

  /// The reason why an operation was not carried out.
  package struct Reason: Sendable, Equatable {
    /// A code for programs and counts: `conflict`, `server_error` …
    package var code: String
    /// One sentence for people.
    package var text: String
    /// What to do, as a sentence; nil if there is no advice.
    package var advice: String?

    package init(_ code: String, _ text: String, advice: String? = nil) {
      self.code = code
      self.text = text
      self.advice = advice
    }
  }
}

/// An operation that was taken from the queue to be sent, with the data known at that time.
package struct ClaimedOperation: Sendable, Equatable {
  package var row: QueueEntry
  /// The operation. It is never unknown, because only rows with known operations are claimed.
  package var kind: QueueOperation
  /// The registry's last answer about the item.
  package var known: KnownPublication?
  /// The registry's id of the original that this item is a fork of, which replaces the local id; nil if the payload's
  /// value is kept.
  package var parentID: String?
  /// The original's slug, if its registry id has to be requested.
  package var parentSlug: String?
  /// The digest that the item will have after the operation; nil if nothing is published, or before the check.
  package var digest: String?
  /// Whether the publication that this operation withdraws may still be in transit to the registry.
  package var mayArriveLate = false
  /// The epoch in which the operation was claimed; see `QueueStore.epoch`.
  package var epoch: Int64
}

extension QueueStore {
  /// The outcome of one row.
  struct Settled {
    /// The kind of outcome.
    enum Result: Equatable {
      case sent
      case failed(SendOutcome.Reason)
      /// The row waits and is retried later.
      case retrying(SendOutcome.Reason)
      case waiting
      /// The row, or its item, was deleted in the meantime.
      case gone
    }

    let operation: ClaimedOperation
    let result: Result
    /// The later rows with the same content, which left the queue.
    var cancelled: [QueueEntry] = []
    /// The next row of the same item, which may be sent now.
    var next: QueueTable.Candidate?
  }

  /// Records the outcomes of rows, all in one transaction.
  /// - Parameter step: the first wait before a retry, in seconds; it doubles with every try.
  func record(
    _ outcomes: [(ClaimedOperation, SendOutcome)], by user: String, step: Double = 1
  ) throws -> [Settled] {
    guard !outcomes.isEmpty else { return [] }
    var places = Set(outcomes.map(\.0.row.id.place))
    for case (_, .published) in outcomes { places.insert(.beside) }
    for case (_, .withdrawn) in outcomes { places.insert(.beside) }
    for case (_, .tried) in outcomes { places.insert(.beside) }
    for case (_, .overtaken) in outcomes { places.insert(.beside) }
    for case (_, .unsent(.some)) in outcomes { places.insert(.beside) }
    return try change(places) {
      let moment = Self.timestamp
      return try outcomes.compactMap { operation, outcome in
        guard let table = table(operation.row.id.place), let envelopes = envelopes(operation.row.id.place) else {
          return nil
        }
        var settled: Settled
        switch outcome {
        case .published(let publication):
          settled = try sent(operation, publication, table, envelopes, moment, user)
        case .withdrawn: settled = try sent(operation, nil, table, envelopes, moment, user)
        case .refused(let reason):
          settled = try recordFailure(operation, reason, table, envelopes, tries: QueueEntry.tries, nil)
        case .overtaken(let digest, let reason):
          if try isOwn(digest, of: operation.row, table) {
            settled = try follow(digest, operation, table, envelopes, moment)
          } else {
            settled = try recordFailure(operation, reason, table, envelopes, tries: QueueEntry.tries, nil)
          }
        case .tried(let reason):
          try remember(operation)
          let tries = operation.row.retryCount + 1
          let wait = min(pow(2, Double(tries)), 300) * Double.random(in: 1...1.25) * step
          let next = Timestamp(milliseconds: moment.milliseconds + Int64(wait * 1000))
          settled = try recordFailure(operation, reason, table, envelopes, tries: tries, next)
        case .again(let reason, let seconds):
          let row = operation.row
          let next = Timestamp(milliseconds: moment.milliseconds + Int64(seconds * step * 1000))
          let isThere = try table.update(row, retryCount: row.retryCount, error: reason, nextRetryAt: next.columnText)
          if isThere { try envelopes.write(status: LibraryItem.SyncStatus.queued, to: row.contentID) }
          settled = Settled(
            operation: operation, result: isThere ? .retrying(SendOutcome.Reason("late", reason)) : .gone)
        case .unsent(let reason):
          let row = operation.row
          if reason != nil { try remember(operation) }
          let isThere = try table.update(
            row, retryCount: row.retryCount, error: reason ?? row.lastError, nextRetryAt: row.nextRetryAt)
          if isThere { try envelopes.write(status: LibraryItem.SyncStatus.queued, to: row.contentID) }
          settled = Settled(operation: operation, result: isThere ? .waiting : .gone)
        }
        if settled.result != .waiting {
          settled.next = try table.first(of: operation.row.contentID, now: moment.columnText)
        }
        return settled
      }
    }
  }

  private func sent(
    _ operation: ClaimedOperation, _ publication: SendOutcome.Publication?, _ table: QueueTable,
    _ envelopes: any ItemEnvelopes, _ moment: Timestamp, _ user: String
  ) throws -> Settled {
    let row = operation.row
    let now = moment.columnText
    let known = publication.map {
      KnownPublication(publicID: $0.publicID, registryID: $0.registryID, digest: $0.digest)
    }
    // A withdrawal may arrive late: a publication under a newer slug then stays public and recorded.
    let withdrawn = publication == nil ? Payload.publicID(row.payload) : nil
    func isOlder(_ slug: String?) -> Bool { slug != nil && withdrawn != nil && slug != withdrawn }
    if try !isOlder(self.publication(of: row.contentID)?.publicID) {
      try write(known, of: row.contentID, at: now)
    }
    guard try table.markSent(row, at: now) else {
      // The row was replaced while it was being sent: the new row finds the item already public.
      if let publication, operation.kind == .publish {
        for later in try table.unsent(after: row)
        where later.kind == .publish && Payload.publicID(later.payload) == publication.publicID {
          try table.makeUpdate(later)
        }
      }
      return Settled(operation: operation, result: .gone)
    }
    if operation.kind != .publishUpdate { try beside.map { try PriorStates($0.connection).forget(row) } }
    var settled = Settled(operation: operation, result: .sent)
    // A later row with the same content is redundant, as long as there is no other operation in between.
    var later = try table.unsent(after: row)
    while let next = later.first, next.operation == row.operation, next.payload == row.payload {
      if try table.remove(next) { settled.cancelled.append(next) }
      later.removeFirst()
    }
    guard var envelope = try envelopes.envelope(of: row.contentID) else { return settled }
    let waiting = later.filter(\.isLive)
    if waiting.isEmpty {
      envelope.syncStatus = LibraryItem.SyncStatus.synced
    } else {
      envelope.syncStatus = LibraryItem.SyncStatus.queued
    }
    // The item may already reflect a later request of its owner.
    if let publication, operation.kind == .publish, !waiting.contains(where: { $0.kind == .unpublish }) {
      envelope.publish(
        as: publication.publicID, at: publication.date ?? moment, by: publication.authorUsername ?? user,
        authorID: publication.authorUserID)
    } else if publication == nil, !waiting.contains(where: { $0.kind == .publish }), !isOlder(envelope.publicID) {
      envelope.withdraw()
    } else {
      try envelopes.write(status: envelope.syncStatus, to: row.contentID)
      return settled
    }
    try envelopes.write(envelope, to: row.contentID)
    return settled
  }

  private func recordFailure(
    _ operation: ClaimedOperation, _ reason: SendOutcome.Reason, _ table: QueueTable, _ envelopes: any ItemEnvelopes,
    tries: Int, _ next: Timestamp?
  ) throws -> Settled {
    let row = operation.row
    let isFinal = tries >= QueueEntry.tries
    let isThere = try table.update(
      row, retryCount: tries, error: reason.text, nextRetryAt: isFinal ? nil : next?.columnText)
    guard isThere else { return Settled(operation: operation, result: .gone) }
    var status = isFinal ? LibraryItem.SyncStatus.failed : LibraryItem.SyncStatus.pending
    if isFinal, try table.hasUnsentLive(row.contentID) { status = LibraryItem.SyncStatus.queued }
    try envelopes.write(status: status, to: row.contentID)
    return Settled(operation: operation, result: isFinal ? .failed(reason) : .retrying(reason))
  }
}
