import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import SQLiteIO
import SQLiteLibrary

/// Decides which operation each item needs, and writes it.
final class ItemEnqueuer {
  let request: EnqueueRequest
  let now: Timestamp
  let check: ItemCheck
  let store: StateStore
  /// The publishing account: the account that the library belongs to, otherwise the account that is signed in,
  /// otherwise the author that published items name.
  private let author: Publication.Author?
  /// Whether the library belongs to a registry.
  let isBound: Bool
  private let digits: () -> String
  private(set) var forgotten: [String] = []

  init(
    _ request: EnqueueRequest, _ library: SQLiteConnection, store: StateStore, account: Publication.Author?,
    now: Timestamp, digits: @escaping () -> String
  ) throws {
    self.request = request
    self.store = store
    self.now = now
    self.digits = digits
    check = try ItemCheck()
    let owner = try store.connection.rows("SELECT user_id, username FROM registry_binding").first.map {
      Publication.Author(id: $0[0] ?? "", username: $0[1] ?? "")
    }
    isBound = owner != nil
    author = try owner ?? account ?? Publication.Author(of: library)
  }

  /// The outcome for an item.
  struct Decision {
    var outcome: EnqueueReport.Outcome
    var publicID: String?
    var findings: [Diagnostic] = []
    /// Whether the slug is new.
    var hasNewSlug = false

    static func skipped(
      _ reason: EnqueueReport.SkipReason, _ words: String, _ publicID: String? = nil
    ) -> Decision {
      Decision(outcome: .skipped(reason, words), publicID: publicID)
    }
  }

  /// Enqueues an item, or returns why it was not enqueued.
  /// - Parameters:
  ///   - record: the item's canonical record, with its new title.
  ///   - oldTitle: the title that the item has now; nil if the title is kept.
  func enqueue(_ item: EnqueuedItem, _ record: Record, on shelf: any ItemStore, oldTitle: String?) throws -> Decision {
    switch request {
    case .publish(let canFork, _): try publish(item, record, shelf, canFork: canFork, oldTitle: oldTitle)
    case .update(let changedOnly, let takesLocal, _):
      try update(item, record, shelf, changedOnly: changedOnly, takesLocal: takesLocal, oldTitle: oldTitle)
    case .unpublish: try unpublish(item, shelf)
    }
  }

  // MARK: Publish

  private func publish(
    _ item: EnqueuedItem, _ record: Record, _ shelf: any ItemStore, canFork: Bool, oldTitle: String?
  ) throws -> Decision {
    if item.isPublic, let slug = item.publicID {
      return try publishAgain(item, record, shelf, as: slug, canFork: canFork, oldTitle: oldTitle)
    }
    let slug = PublicSlug.make(item.title, language: item.language, digits: digits())
    let result = try check.check(record, publicID: slug, now: now)
    guard result.isValid, let payload = result.payload else {
      return Decision(outcome: .refused, findings: result.findings)
    }
    if let oldTitle { try shelf.rename(item, from: oldTitle, now: now) }
    // Without the publication the item would be private, a state that needs no record.
    if item.visibility != LibraryItem.Visibility.private { try PriorStates(store.connection).record(item, now) }
    try shelf.add(.publish, of: item.id, payload: payload.text, now: now)
    try shelf.mark(
      item, Publication(publicID: slug, publishedAt: now, canFork: canFork, author: author),
      status: LibraryItem.SyncStatus.queued)
    return Decision(
      outcome: .queued(QueueOperation.publish.rawValue), publicID: slug, findings: result.findings, hasNewSlug: true)
  }

  /// Handles an item that is public or waiting to be published. A waiting publication that was never sent keeps its
  /// slug, but can get a new title and can lose the permission to be copied.
  private func publishAgain(
    _ item: EnqueuedItem, _ record: Record, _ shelf: any ItemStore, as slug: String, canFork: Bool, oldTitle: String?
  ) throws -> Decision {
    let history = ItemHistory(rows: try shelf.operations(of: item.id), isBeingSent: item.isBeingSent)
    let unsent = history.unsentPublications
    guard let waiting = unsent.last(where: \.isPublish) else {
      return .skipped(.alreadyPublished, "already published as \(slug); 'fleetkit update' sends changes", slug)
    }
    if waiting.isGivenUp { return Self.failed(waiting, slug) }
    let forbids = !canFork && item.canFork != false
    guard oldTitle != nil || forbids, waiting.wasNeverAttempted, !item.isBeingSent else {
      return .skipped(.alreadyQueued, "waits in the queue as \(slug); 'fleetkit sync' sends it", slug)
    }
    let result = try check.check(record, publicID: slug, now: now)
    guard result.isValid, let payload = result.payload else {
      return Decision(outcome: .refused, publicID: slug, findings: result.findings)
    }
    if let oldTitle { try shelf.rename(item, from: oldTitle, now: now) }
    let operation = try write(payload, of: item, unsent, on: shelf)
    try shelf.mark(
      item,
      Publication(publicID: slug, publishedAt: now, canFork: canFork && item.canFork != false, author: author),
      status: LibraryItem.SyncStatus.queued)
    return Decision(outcome: .queued(operation.rawValue), publicID: slug, findings: result.findings)
  }

  private static func failed(_ row: QueuedOperation, _ slug: String) -> Decision {
    let why = row.lastError.map { ": \($0)" } ?? ""
    return .skipped(
      .publicationFailed,
      "its publication failed\(why); 'queue retry' tries again; 'unpublish', then 'publish' gives it another public id",
      slug)
  }

  // MARK: Update

  private func update(
    _ item: EnqueuedItem, _ record: Record, _ shelf: any ItemStore, changedOnly: Bool, takesLocal: Bool,
    oldTitle: String?
  ) throws -> Decision {
    guard item.isPublic, let slug = item.publicID else { return .skipped(.notPublic, "not public; use publish") }
    let history = ItemHistory(rows: try shelf.operations(of: item.id), isBeingSent: item.isBeingSent)
    let unsent = history.unsentPublications
    if let failed = unsent.last(where: { $0.isPublish && $0.isGivenUp }) {
      return Self.failed(failed, slug)
    }
    let result = try check.check(record, publicID: slug, now: now)
    // Unchanged items are not refused, because they will not be sent.
    if changedOnly, let payload = result.payload, try isUnchanged(item, payload, history) {
      let isSent = history.lastPublication?.isSent ?? true
      return .skipped(.unchanged, "unchanged since it was \(isSent ? "sent" : "queued")", slug)
    }
    guard result.isValid, let payload = result.payload else {
      return Decision(outcome: .refused, publicID: slug, findings: result.findings)
    }
    if takesLocal { forgotten.append(item.id) }
    if let oldTitle { try shelf.rename(item, from: oldTitle, now: now) }
    let operation = try write(payload, of: item, unsent, on: shelf)
    try shelf.mark(item, status: LibraryItem.SyncStatus.queued)
    return Decision(outcome: .queued(operation.rawValue), publicID: slug, findings: result.findings)
  }

  /// Enqueues an update in place of the unsent operations that can be replaced.
  private func write(
    _ payload: PublishPayload, of item: EnqueuedItem, _ unsent: [QueuedOperation], on shelf: any ItemStore
  ) throws -> QueueOperation {
    // A failed update is replaced too: its content is out of date.
    let open = item.isBeingSent ? [] : unsent.filter { $0.wasNeverAttempted || ($0.isUpdate && $0.isGivenUp) }
    guard let first = open.first else {
      try shelf.add(.publishUpdate, of: item.id, payload: payload.text, now: now)
      return .publishUpdate
    }
    let operation: QueueOperation = open.contains(where: \.isPublish) ? .publish : .publishUpdate
    try shelf.replace(first, with: operation, payload: payload.text)
    for row in open.dropFirst() { try shelf.cancel(row) }
    return operation
  }

  private func isUnchanged(_ item: EnqueuedItem, _ payload: PublishPayload, _ history: ItemHistory) throws -> Bool {
    let known = try store.connection.rows("SELECT digest FROM publications WHERE content_id = ?", [item.id]).first?[0]
    if let sent = history.lastPublication {
      guard let text = sent.payload, let old = check.writer.meaning(of: text, now: now) else { return false }
      // If another version has been pulled since, the version that was sent last is no longer the public one.
      let isOvertaken = sent.isSent && known != nil && known != Digest.hex(old.digest)
      if !isOvertaken { return old.meaning == payload.request.meaning }
    }
    return known != nil && (item.isSynced || known == Digest.hex(payload.request.digest))
  }

  // MARK: Unpublish

  private static let waiting =
    "its withdrawal already waits in the queue; it is private here, and 'fleetkit sync' withdraws it at the registry"

  private func unpublish(_ item: EnqueuedItem, _ shelf: any ItemStore) throws -> Decision {
    let history = ItemHistory(rows: try shelf.operations(of: item.id), isBeingSent: item.isBeingSent)
    let known = try store.connection.rows("SELECT public_id FROM publications WHERE content_id = ?", [item.id])
    let open = history.open
    let waiting = history.waitingWithdrawals
    // An item that was already withdrawn no longer has its own slug.
    let withdrawn = Set(history.rows.filter(\.isWithdrawal).compactMap(\.publicID))
    let remembered = known.first?[0].flatMap { withdrawn.contains($0) ? nil : $0 }
    guard let slug = item.isPublic ? item.publicID : open.last ?? item.publicID ?? remembered else {
      return waiting.isEmpty ? .skipped(.notPublic, "not public") : .skipped(.withdrawalWaits, Self.waiting)
    }
    if let row = waiting.last, row.publicID == slug, history.unsentPublications.isEmpty {
      return .skipped(.withdrawalWaits, Self.waiting, slug)
    }
    let unsent = history.unsentPublications
    let wasSent = open.contains(slug) || known.first?[0] == slug || !unsent.contains { $0.isPublish }
    for row in unsent where !item.isBeingSent {
      // Sending the publication again would make the item public for a moment. Deleting it would lose the record of
      // what has to be withdrawn.
      if row.mayHaveArrived || row.isGivenUp && wasSent { try shelf.giveUp(row) } else { try shelf.cancel(row) }
    }
    guard wasSent else {
      let isWaiting = !waiting.isEmpty
      try shelf.mark(item, nil, status: isWaiting ? LibraryItem.SyncStatus.queued : LibraryItem.SyncStatus.pending)
      return Decision(outcome: .cancelled, publicID: slug)
    }
    try shelf.markSent(item.id, as: slug)
    try PriorStates(store.connection).record(item, now)
    try shelf.add(.unpublish, of: item.id, payload: PublicIDPayload.text(of: slug), now: now)
    try shelf.mark(item, nil, status: LibraryItem.SyncStatus.queued)
    return Decision(outcome: .queued(QueueOperation.unpublish.rawValue), publicID: slug)
  }
}

/// All operations of one item in queue order, and the resulting state.
struct ItemHistory {
  let rows: [QueuedOperation]
  /// Whether one of the operations is being sent right now.
  let isBeingSent: Bool

  /// The publications after the last withdrawal that wait and were never sent.
  var unsentPublications: [QueuedOperation] {
    let from = rows.lastIndex { $0.isWithdrawal }.map { $0 + 1 } ?? 0
    return rows[from...].filter { $0.isPublication && !$0.isSent }
  }

  /// The last publication or update that has content, sent or not.
  var lastPublication: QueuedOperation? { rows.last { $0.isPublication && !$0.saysOnlyID } }

  /// The public ids under which the registry has, or may have, the item.
  var open: [String] {
    var ids: [String] = []
    for row in rows {
      guard let id = row.publicID else { continue }
      if row.isPublication, row.isSent || isBeingSent || row.mayHaveArrived, !ids.contains(id) {
        ids.append(id)
      } else if row.isWithdrawal, row.isSent {
        ids.removeAll { $0 == id }
      }
    }
    return ids
  }

  /// The withdrawals that wait to be sent.
  var waitingWithdrawals: [QueuedOperation] { rows.filter { $0.isWithdrawal && !$0.isSent && !$0.isGivenUp } }
}
