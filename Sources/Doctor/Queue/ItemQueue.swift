import Content
import Diagnostics
import JSONText
import SQLiteLibrary

/// Weighs all operations of one item: what its owner wanted last, and what must become of each row for that.
///
/// - Source: the queue's rules as the app's documents say them: the last operation wins; a publication that never
///   arrived and its withdrawal cancel each other; a withdrawal is sent whenever the publication may have arrived.
struct ItemQueue {
  let file: String
  let item: QueueItem
  /// First in, first out.
  let rows: [QueueRow]
  var plan = QueuePlan()
  /// What becomes of each waiting row; those that leave are not in it.
  private var kept: [Int: SyncOperation] = [:]
  /// Rows that stay only as a memory: what they published may have arrived.
  private var memories = Set<Int>()

  init(file: String, item: QueueItem, rows: [QueueRow]) {
    self.file = file
    self.item = item
    self.rows = rows.sorted(by: QueueRow.isBefore)
    plan.item = item
  }

  /// Weighs.
  mutating func weigh() -> QueuePlan {
    var waiting = rows.indices.filter { !rows[$0].isSent }
    for index in waiting { kept[index] = rows[index].operation }
    for index in waiting where !isKnown(index) && !rows[index].isSound {
      giveUp(index, "nobody knows the operation '\(rows[index].operation.operation)'")
    }
    waiting.removeAll { kept[$0] == nil }
    // An operation that a later app invented is none of ours to judge.
    guard waiting.allSatisfy(isKnown) else { return plan }
    if let last = waiting.last, !rows[(last + 1)...].contains(where: \.isPublication) {
      let earlier = Array(waiting.dropLast())
      if rows[last].isWithdrawal { weighWithdrawal(last, earlier) } else { weighPublication(last, earlier) }
    } else if waiting.isEmpty {
      weighLostWithdrawal()
    }
    for index in waiting where kept[index] != nil { repairPayload(index) }
    // A withdrawn publication that left the queue frees the others to be tried anew.
    let isCleared = !plan.changes.isEmpty
    for index in waiting { settle(index, isCleared: isCleared) }
    weighStatus()
    return plan
  }

  private func isKnown(_ index: Int) -> Bool { rows[index].isWithdrawal || rows[index].isPublication }

  // MARK: Who wins

  private var isBeingSent: Bool { item.item.syncStatus == LibraryItem.SyncStatus.syncing }

  /// Public ids under which the registry has, or may have, the item before a row.
  private func open(before end: Int) -> [String] {
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
        let what = rows[index].isWithdrawal ? "what it withdraws was never sent" : "it was withdrawn and never sent"
        leave(index, .operationsCancelOut, what, "the publication was withdrawn before it was sent")
      }
      return
    }
    guard let target = own ?? open.last ?? item.item.publicID else {
      return giveUp(last, "nobody can know which publication it withdraws")
    }
    for index in publications {
      if rows[index].mayHaveArrived(isBeingSent: isBeingSent) {
        memories.insert(index)
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
        index, .operationSuperseded, "operation \(rows[last].operation.id) says it again", "a later one says it again")
    }
    if !rows[last].isSound {
      kept[last]?.payload = PayloadRepair.withdrawal(of: target)
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
        if !rows[index].isSound { kept[index]?.payload = PayloadRepair.withdrawal(of: old) }
        continue
      }
      leave(
        index, .operationSuperseded, "operation \(rows[last].operation.id) publishes the item again",
        "a later publication overtook it")
    }
  }

  /// Early builds marked withdrawals without a payload as done and sent nothing.
  private mutating func weighLostWithdrawal() {
    guard let last = rows.indices.last, rows[last].isWithdrawal, rows[last].publicID == nil,
      item.item.visibility != LibraryItem.Visibility.public
    else { return }
    for id in open(before: last) {
      report(.withdrawalNotSent, rows[last], "payload", "'\(id)' was published and never withdrawn")
      add(withdrawalOf: id)
    }
  }

  // MARK: Rows

  private mutating func leave(_ index: Int, _ code: DiagnosticCode, _ message: String, _ reason: String) {
    guard kept.removeValue(forKey: index) != nil else { return }
    report(code, rows[index], nil, message)
    plan.changes.append((rows[index], .quarantine(reason: reason)))
  }

  /// For rows whose own findings say already what is wrong.
  private mutating func giveUp(_ index: Int, _ reason: String) {
    kept[index] = nil
    plan.changes.append((rows[index], .quarantine(reason: reason)))
  }

  private mutating func add(withdrawalOf id: String) {
    plan.additions.append(
      SyncOperation(
        id: 0, contentID: item.item.id, operation: SyncOperation.Operation.unpublish,
        payload: PayloadRepair.withdrawal(of: id)))
  }

  private mutating func repairPayload(_ index: Int) {
    guard !rows[index].isSound, let operation = kept[index] else { return }
    if rows[index].isWithdrawal {
      // One that nobody weighed, because something later was sent already.
      guard operation.payload == rows[index].operation.payload else { return }
      guard let id = rows[index].publicID ?? open(before: index).last else {
        return giveUp(index, "nobody can know which publication it withdraws")
      }
      kept[index]?.payload = PayloadRepair.withdrawal(of: id)
    } else if let payload = PayloadRepair(operation.payload, item).publication() {
      kept[index]?.payload = payload
    } else {
      giveUp(index, "nobody can know its public id, or what was to be published; publish the item again")
    }
  }

  /// Decides whether a row that stays is tried again.
  private mutating func settle(_ index: Int, isCleared: Bool) {
    guard var operation = kept[index] else { return }
    let row = rows[index]
    let isRepaired = operation != row.operation
    let payload = operation.payload.flatMap { try? JSONDocument(parsing: $0).root }
    let error = operation.lastError ?? ""
    if memories.contains(index) {
      operation.retryCount = max(operation.retryCount, QueueRow.tries)
    } else if row.isPublication, let payload, let problem = PublishRules.problem(payload) {
      operation.retryCount = max(operation.retryCount, QueueRow.tries)
      report(
        .publicationRefused, row, "payload", problem.words, pointer: problem.pointer,
        severity: row.isLive ? .warning : .note)
    } else if SendingError.isTerminal(error, operation: operation.operation) {
      operation.retryCount = max(operation.retryCount, QueueRow.tries)
      if row.isLive { report(.terminalErrorRetried, row, "lastError", "the registry said \"\(error.prefix(80))\"") }
    } else if isRepaired || isCleared {
      operation.retryCount = 0
      operation.lastError = nil
      operation.nextRetryAt = nil
    }
    if operation != row.operation { plan.changes.append((row, .write(operation))) }
    kept[index] = operation
  }

  // MARK: The item

  private mutating func weighStatus() {
    let status = item.item.syncStatus
    let isChanged = !plan.changes.isEmpty || !plan.additions.isEmpty
    let live = rows.indices.filter { kept[$0].map { $0.retryCount < QueueRow.tries } ?? false }
    typealias Status = LibraryItem.SyncStatus
    if !live.isEmpty || !plan.additions.isEmpty {
      if isChanged || status == Status.failed || status == Status.synced {
        set(Status.queued, "an operation waits to be sent", isFinding: !isChanged)
      }
      return
    }
    let last = rows.indices.last { rows[$0].isSent || kept[$0] != nil }
    guard let last else {
      if status == Status.queued || status == Status.syncing || isChanged && status == Status.failed {
        set(Status.pending, "no operation waits", isFinding: !isChanged)
      }
      return
    }
    guard rows[last].isSent else {
      if isChanged || status == Status.queued || status == Status.syncing || status == Status.synced {
        set(Status.failed, "its operation was given up", isFinding: !isChanged)
      }
      return
    }
    let sent = rows.compactMap(\.operation.syncedAt).max()
    let isUnchangedSince = sent.map { sent in item.item.updatedAt.map { $0 <= sent } ?? false } ?? false
    if status == Status.queued || status == Status.syncing {
      set(
        isUnchangedSince ? Status.synced : Status.pending, "nothing waits, the last operation was sent", isFinding: true
      )
    } else if status != Status.synced, isUnchangedSince, Self.statuses.contains(status) {
      report(
        .statusBehind, item, "'syncStatus' is \"\(status)\"; the last operation was sent \(sent?.iso8601 ?? "")")
      plan.status = Status.synced
    }
  }

  private static let statuses: Set<String> = [LibraryItem.SyncStatus.pending, LibraryItem.SyncStatus.failed]

  private mutating func set(_ status: String, _ why: String, isFinding: Bool) {
    guard item.item.syncStatus != status else { return }
    plan.status = status
    // Where operations change, their own findings say it.
    if isFinding {
      report(.statusStuck, item, "'syncStatus' is \"\(item.item.syncStatus)\", but \(why); it becomes \(status)")
    }
  }

  // MARK: Findings

  private mutating func report(
    _ code: DiagnosticCode, _ row: QueueRow, _ column: String?, _ message: String, pointer: String = "",
    severity: Severity? = nil
  ) {
    let place = Place(
      file: file, row: Place.Row(table: row.row.table, id: row.row.id, column: column), pointer: pointer)
    plan.findings.append(
      Diagnostic(
        code, message, at: place, record: "operation \(row.operation.id)", title: item.item.title, severity: severity))
  }

  private mutating func report(_ code: DiagnosticCode, _ item: QueueItem, _ message: String) {
    let place = Place(file: file, row: Place.Row(table: item.row.table, id: item.row.id, column: "syncStatus"))
    plan.findings.append(
      Diagnostic(
        code, message, at: place, record: "\(item.item.contentType.rawValue) \(item.item.id)", title: item.item.title))
  }
}
