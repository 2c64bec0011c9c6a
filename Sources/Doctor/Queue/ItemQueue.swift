import Content
import Diagnostics
import JSONText
import SQLiteLibrary
import SyncQueue

/// Evaluates all operations of one item to determine what its owner wanted last, and what that means for each row.
///
/// - Source: the queue's rules in the app's documents: the last operation wins; a publication that never arrived and
///   its withdrawal cancel each other; a withdrawal is sent whenever the publication may have arrived.
struct ItemQueue {
  let file: String
  let item: QueueItem
  /// The rows, in the order in which they were queued.
  let rows: [QueueRow]
  /// Whether the library's schema has a queue.
  let hasQueue: Bool
  var plan = QueuePlan()
  /// The new value of each waiting row. Removed rows are missing here.
  var kept: [Int: SyncOperation] = [:]
  /// Rows that are kept only as a record, because what they published may have arrived.
  var memories = Set<Int>()

  init(file: String, item: QueueItem, rows: [QueueRow], hasQueue: Bool) {
    self.file = file
    self.hasQueue = hasQueue
    self.item = item
    self.rows = rows.sorted(by: QueueRow.isBefore)
    plan.item = item
  }

  /// Evaluates the operations.
  mutating func weigh() -> QueuePlan {
    weighPublicID()
    var waiting = rows.indices.filter { !rows[$0].isSent }
    for index in waiting { kept[index] = rows[index].operation }
    for index in waiting where !isKnown(index) && !rows[index].isSound {
      giveUp(index, "unknown operation '\(rows[index].operation.operation)'")
    }
    waiting.removeAll { kept[$0] == nil }
    // An operation from a later app stays unchanged.
    guard waiting.allSatisfy(isKnown) else { return plan }
    if let last = waiting.last, !rows[(last + 1)...].contains(where: \.isPublication) {
      let earlier = Array(waiting.dropLast())
      if rows[last].isWithdrawal { weighWithdrawal(last, earlier) } else { weighPublication(last, earlier) }
    } else if waiting.isEmpty {
      weighLostWithdrawal()
    }
    for index in waiting where kept[index] != nil { repairPayload(index) }
    // If a withdrawn publication leaves the queue, the other operations can be tried again.
    let isCleared = !plan.changes.isEmpty
    for index in waiting { settle(index, isCleared: isCleared) }
    weighPublicRow()
    weighStatus()
    return plan
  }

  private func isKnown(_ index: Int) -> Bool { rows[index].isWithdrawal || rows[index].isPublication }

  // MARK: Who wins

  var isBeingSent: Bool { item.item.syncStatus == LibraryItem.SyncStatus.syncing }

  /// Returns the public ids under which the registry has, or may have, the item before a row is sent.
  func open(before end: Int) -> [String] {
    var ids: [String] = []
    for row in rows[..<end] {
      guard let id = row.publicID else { continue }
      if row.isPublication, row.isSent || row.mayHaveArrived(isBeingSent: isBeingSent), !ids.contains(id) {
        ids.append(id)
      } else if row.isWithdrawal, row.isSent {
        ids.removeAll { $0 == id }
      }
    }
    return ids
  }

  private mutating func weighWithdrawal(_ last: Int, _ earlier: [Int]) {
    let open = open(before: last)
    let publications = earlier.filter { rows[$0].isPublication }
    let own = rows[last].publicID
    if open.isEmpty, !publications.isEmpty, own == nil || publications.contains(where: { rows[$0].publicID == own }) {
      for index in earlier + [last] {
        let what =
          rows[index].isWithdrawal ? "the withdrawn publication was never sent" : "it was withdrawn and never sent"
        leave(index, .operationsCancelOut, what, "the publication was withdrawn before it was sent")
      }
      return
    }
    guard let target = own ?? open.last ?? item.item.publicID else {
      return giveUp(last, "it is unknown which publication this withdraws")
    }
    for index in publications {
      if rows[index].mayHaveArrived(isBeingSent: isBeingSent) {
        // If this publication were sent again, the item would be public for a moment; if it were removed, it would be
        // unknown what to withdraw.
        memories.insert(index)
        if rows[index].isLive {
          report(
            .operationSuperseded, rows[index], nil,
            "operation \(rows[last].operation.id) withdraws it, and it may have arrived already")
        }
      } else {
        leave(
          index, .operationSuperseded, "operation \(rows[last].operation.id) withdraws it",
          "a later withdrawal overtook it")
      }
    }
    var withdrawn: Set<String> = [target]
    for index in earlier where rows[index].isWithdrawal {
      if let id = rows[index].publicID, open.contains(id), withdrawn.insert(id).inserted { continue }
      leave(
        index, .operationSuperseded, "operation \(rows[last].operation.id) repeats it", "a later operation repeats it")
    }
    if !rows[last].isSound {
      kept[last]?.payload = PublicIDPayload.text(of: target)
      for id in open where !withdrawn.contains(id) { add(withdrawalOf: id) }
    }
  }

  private mutating func weighPublication(_ last: Int, _ earlier: [Int]) {
    let id = rows[last].publicID ?? item.item.publicID
    for index in earlier where rows[index].isPublication {
      // An update needs the publication that it updates.
      if rows[last].isUpdate, !rows[index].isUpdate {
        if rows[index].mayHaveArrived(isBeingSent: isBeingSent) { continue }
        kept[last]?.operation = SyncOperation.Operation.publish
      }
      leave(
        index, .operationSuperseded, "operation \(rows[last].operation.id) publishes the item as it is now",
        "a later publication overtook it")
    }
    for index in earlier where rows[index].isWithdrawal {
      let open = open(before: index)
      if let old = rows[index].publicID ?? open.last, open.contains(old), old != id {
        if !rows[index].isSound { kept[index]?.payload = PublicIDPayload.text(of: old) }
        continue
      }
      leave(
        index, .operationSuperseded, "operation \(rows[last].operation.id) publishes the item again",
        "a later publication overtook it")
    }
  }

  /// Makes an item without a public id private, because such an item cannot be withdrawn.
  private mutating func weighPublicID() {
    guard item.item.visibility == LibraryItem.Visibility.public, item.item.publicID ?? "" == "" else { return }
    plan.makesPrivate = true
    let sent = open(before: rows.endIndex).last
    report(
      .publicWithoutID, item, "visibility",
      "it is marked as public, but has no public id" + (sent.map { "; it was sent as '\($0)'" } ?? ""))
  }

  /// Adds the synced publication that the app needs in the queue to withdraw an item. An item with a waiting or refused
  /// publication does not need one, because the publication is sent first, or there is nothing to withdraw.
  private mutating func weighPublicRow() {
    guard hasQueue else { return }
    for id in waitingWithdrawals() where !rows.contains(where: { $0.isPublish && $0.isSent && $0.publicID == id }) {
      report(
        .publicWithoutRow, item, "publicID", "the withdrawal of '\(id)' is waiting, but the app would skip it")
      mark(id)
    }
    guard let id = item.item.publicID, !id.isEmpty, Self.publicWords.contains(item.item.visibility),
      !rows.contains(where: { $0.isPublish && ($0.publicID == id || !$0.isSent) })
    else { return }
    report(.publicWithoutRow, item, "visibility", "it is public as '\(id)', but the app could not withdraw it")
    mark(id)
  }

  /// Returns the public ids that are withdrawn when the queue is sent.
  private func waitingWithdrawals() -> [String] {
    let kept = rows.indices.compactMap { self.kept[$0] }.filter { $0.retryCount < QueueOperation.tries }
    var ids: [String] = []
    for operation in kept + plan.additions where operation.operation == SyncOperation.Operation.unpublish {
      let payload = operation.payload.flatMap { try? JSONDocument(parsing: $0).root }
      guard let id = payload?["public_id"]?.string, !id.isEmpty, !ids.contains(id) else { continue }
      ids.append(id)
    }
    return ids
  }

  private mutating func mark(_ id: String) {
    guard !plan.additions.contains(where: { $0.syncedAt != nil && $0.payload == PublicIDPayload.text(of: id) }) else {
      return
    }
    let time = item.item.publishedAt ?? item.item.updatedAt ?? item.item.createdAt ?? Timestamp.of2001
    plan.additions.append(
      SyncOperation(
        id: 0, contentID: item.item.id, operation: SyncOperation.Operation.publish,
        visibilityState: LibraryItem.Visibility.public, payload: PublicIDPayload.text(of: id), createdAt: time,
        syncedAt: time))
  }

  private static let publicWords: Set<String> = [LibraryItem.Visibility.public, LibraryItem.Visibility.unlisted]

  /// Repairs withdrawals without a payload, which early builds marked as done without sending anything.
  private mutating func weighLostWithdrawal() {
    guard let last = rows.indices.last, rows[last].isWithdrawal, rows[last].publicID == nil,
      item.item.visibility != LibraryItem.Visibility.public
    else { return }
    for id in open(before: last) {
      report(.withdrawalNotSent, rows[last], "payload", "'\(id)' was published and never withdrawn")
      add(withdrawalOf: id)
    }
  }

  // MARK: Findings

  mutating func report(
    _ code: DiagnosticCode, _ row: QueueRow, _ column: String?, _ message: String, pointer: String = "",
    severity: Severity? = nil
  ) {
    let place = Place(
      file: file, row: Place.Row(table: row.row.table, id: row.row.id, column: column), pointer: pointer)
    plan.findings.append(
      Diagnostic(
        code, message, at: place, record: "operation \(row.operation.id)", title: item.item.title, severity: severity))
  }

  mutating func report(_ code: DiagnosticCode, _ item: QueueItem, _ column: String, _ message: String) {
    let place = Place(file: file, row: Place.Row(table: item.row.table, id: item.row.id, column: column))
    plan.findings.append(
      Diagnostic(
        code, message, at: place, record: "\(item.item.contentType.rawValue) \(item.item.id)", title: item.item.title))
  }
}
