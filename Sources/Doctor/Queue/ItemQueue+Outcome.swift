import Content
import Diagnostics
import JSONText
import SQLiteLibrary
import SyncQueue
import Validation

extension ItemQueue {
  // MARK: Rows

  mutating func leave(_ index: Int, _ code: DiagnosticCode, _ message: String, _ reason: String) {
    guard kept.removeValue(forKey: index) != nil else { return }
    report(code, rows[index], nil, message)
    plan.changes.append((rows[index], .quarantine(reason: reason)))
  }

  /// Marks a row that has its own findings as failed.
  mutating func giveUp(_ index: Int, _ reason: String) {
    kept[index] = nil
    plan.changes.append((rows[index], .quarantine(reason: reason)))
  }

  mutating func add(withdrawalOf id: String) {
    plan.additions.append(
      SyncOperation(
        id: 0, contentID: item.item.id, operation: SyncOperation.Operation.unpublish,
        payload: PublicIDPayload.text(of: id)))
  }

  mutating func repairPayload(_ index: Int) {
    guard !rows[index].isSound, let operation = kept[index] else { return }
    if rows[index].isWithdrawal {
      // The row was not examined, because a later one has already been sent.
      guard operation.payload == rows[index].operation.payload else { return }
      guard let id = rows[index].publicID ?? open(before: index).last else {
        return giveUp(index, "it is unknown which publication this withdraws")
      }
      kept[index]?.payload = PublicIDPayload.text(of: id)
    } else if let payload = PayloadRepair(operation.payload, item).publication() {
      kept[index]?.payload = payload
    } else {
      giveUp(index, "its public id or its content is unknown; publish the item again")
    }
  }

  /// Decides whether a kept row is tried again.
  mutating func settle(_ index: Int, isCleared: Bool) {
    guard var operation = kept[index] else { return }
    let row = rows[index]
    let isRepaired = operation != row.operation
    let payload = operation.payload.flatMap { try? JSONDocument(parsing: $0).root }
    let error = operation.lastError ?? ""
    if memories.contains(index) {
      operation.retryCount = max(operation.retryCount, QueueOperation.tries)
    } else if row.isPublication, let payload,
      let problem = Self.refusal(payload, isLive: row.isLive) ?? privacy(row, isRevived: isRepaired || isCleared)
    {
      operation.retryCount = max(operation.retryCount, QueueOperation.tries)
      report(
        .publicationRefused, row, "payload", problem.words, pointer: problem.pointer,
        severity: row.isLive ? .warning : .note)
    } else if SendingError.isTerminal(error, operation: operation.operation) {
      operation.retryCount = max(operation.retryCount, QueueOperation.tries)
      if row.isLive { report(.terminalErrorRetried, row, "lastError", "the registry answered \"\(error.prefix(80))\"") }
    } else if isRepaired || isCleared {
      operation.retryCount = 0
      operation.lastError = nil
      operation.nextRetryAt = nil
    }
    if operation != row.operation { plan.changes.append((row, .write(operation))) }
    kept[index] = operation
  }

  /// Describes the first rule that a payload breaks, with the position in the payload; returns nil if the payload may
  /// be sent.
  private static func refusal(_ payload: JSONValue, isLive: Bool) -> (words: String, pointer: String)? {
    let rules = isLive ? PublishCheck.askedOfWaiting : PublishCheck.askedByEveryVersion
    return PublishCheck.problems(inPayload: payload, rules: rules).first.map {
      ($0.message, $0.pointer.description)
    }
  }

  /// Returns the reason why a private item must not be sent, although a repair made it possible to send its operation
  /// again.
  private func privacy(_ row: QueueRow, isRevived: Bool) -> (words: String, pointer: String)? {
    if plan.makesPrivate { return ("the item has no public id and becomes private", "") }
    guard item.item.visibility == LibraryItem.Visibility.private, isRevived || !row.isLive else { return nil }
    return ("the item is private; publish it again if it is meant to be public", "")
  }

  // MARK: The item

  mutating func weighStatus() {
    let status = item.item.syncStatus
    let hasAdditions = plan.additions.contains { $0.syncedAt == nil }
    let isChanged = !plan.changes.isEmpty || hasAdditions
    let live = rows.indices.filter { kept[$0].map { $0.retryCount < QueueOperation.tries } ?? false }
    typealias Status = LibraryItem.SyncStatus
    if !live.isEmpty || hasAdditions {
      if isChanged || status == Status.failed || status == Status.synced {
        set(Status.queued, "an operation waits to be sent", isFinding: !isChanged)
      }
      return
    }
    // A mark does not record what was sent, or when.
    let last = rows.indices.last { rows[$0].isSent && !rows[$0].isMark || kept[$0] != nil }
    guard let last else {
      if status == Status.queued || status == Status.syncing || isChanged && status == Status.failed {
        set(Status.pending, "no operation waits", isFinding: !isChanged)
      }
      return
    }
    guard rows[last].isSent else {
      if isChanged || status == Status.queued || status == Status.syncing || status == Status.synced {
        set(Status.failed, "its operation failed", isFinding: !isChanged)
      }
      return
    }
    let sent = rows.filter { !$0.isMark }.compactMap(\.operation.syncedAt).max()
    let isUnchangedSince = sent.map { sent in item.item.updatedAt.map { $0 <= sent } ?? false } ?? false
    if status == Status.queued || status == Status.syncing {
      set(
        isUnchangedSince ? Status.synced : Status.pending, "no operation waits; the last one was sent", isFinding: true
      )
    } else if status != Status.synced, isUnchangedSince, Self.statuses.contains(status) {
      report(
        .statusBehind, item, "syncStatus",
        "'syncStatus' is \"\(status)\"; the last operation was sent \(sent?.iso8601 ?? "")")
      plan.status = Status.synced
    }
  }

  private static let statuses: Set<String> = [LibraryItem.SyncStatus.pending, LibraryItem.SyncStatus.failed]

  private mutating func set(_ status: String, _ why: String, isFinding: Bool) {
    guard item.item.syncStatus != status else { return }
    plan.status = status
    // If operations change, they have findings that report the change.
    if isFinding {
      report(
        .statusStuck, item, "syncStatus",
        "'syncStatus' is \"\(item.item.syncStatus)\", but \(why); it becomes \(status)")
    }
  }
}
