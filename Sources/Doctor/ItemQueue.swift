import Content
import Diagnostics
import JSONText
import SQLiteLibrary
import SyncQueue
import Validation

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
    for index in waiting { decideRetry(of: index, isCleared: isCleared) }
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

extension ItemQueue {
  // MARK: Rows

  mutating func leave(_ index: Int, _ code: DiagnosticCode, _ message: String, _ reason: String) {
    guard kept.removeValue(forKey: index) != nil else { return }
    report(code, rows[index], nil, message)
    plan.changes.append((rows[index], .quarantine(reason: reason)))
  }

  /// Moves a row to the quarantine without adding a finding, because the row already has its own.
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

  private mutating func repairPayload(_ index: Int) {
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
  mutating func decideRetry(of index: Int, isCleared: Bool) {
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

  private mutating func weighStatus() {
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

/// One operation of the queue, as the doctor evaluates it.
struct QueueRow {
  let row: LibraryScan.Row
  var operation: SyncOperation
  /// The public id in the payload, in any of its spellings.
  let publicID: String?
  /// Whether the payload can be sent unchanged.
  let isSound: Bool
  /// Whether the row only marks the item as public, and does not record what was sent.
  let isMark: Bool
  /// The findings about the row.
  let findings: [Diagnostic]

  init(_ found: LibraryScan.Found) throws {
    guard let row = found.rows.first,
      case .syncOperation(let operation) = try TypedRecord(json: JSONDocument(parsing: found.line.span).root)
    else { throw ModelError(pointer: JSONPointer(), expected: "an operation") }
    self.row = row
    self.operation = operation
    let payload = operation.payload.flatMap { try? JSONDocument(parsing: $0).root }
    let id = (payload?["public_id"] ?? payload?["publicID"])?.string
    publicID = id?.isEmpty ?? true ? nil : id
    isSound = !found.findings.contains { $0.severity > .note && Self.payloadCodes.contains($0.code) }
    isMark =
      operation.syncedAt != nil && PublicIDPayload.isWhole(operation.payload)
      && operation.operation == SyncOperation.Operation.publish
    findings = found.findings
  }

  private static let payloadCodes: Set<DiagnosticCode> = [.payloadUndecodable, .payloadMissing, .payloadNotForkable]

  var isSent: Bool { operation.syncedAt != nil }
  /// Whether the app would send the operation at its next run.
  var isLive: Bool { !isSent && operation.retryCount < QueueOperation.tries }
  var isWithdrawal: Bool { operation.operation == SyncOperation.Operation.unpublish }
  var isUpdate: Bool { operation.operation == SyncOperation.Operation.publishUpdate }
  var isPublish: Bool { operation.operation == SyncOperation.Operation.publish }
  var isPublication: Bool { isUpdate || isPublish }

  /// Whether a row was queued before another row.
  static func isBefore(_ left: QueueRow, _ right: QueueRow) -> Bool {
    let first = left.operation.createdAt?.milliseconds ?? 0
    let second = right.operation.createdAt?.milliseconds ?? 0
    return first != second ? first < second : left.operation.id < right.operation.id
  }

  /// Whether the registry may have the content that this row was to publish, although no response arrived.
  /// - Parameter isBeingSent: whether the item was marked as being sent when the app stopped.
  func mayHaveArrived(isBeingSent: Bool) -> Bool {
    // The first build could not send any operation, and wrote no public id.
    guard isPublication, !isSent, publicID != nil else { return false }
    guard let error = operation.lastError else { return operation.retryCount > 0 || isBeingSent }
    return !SendingError.isOffline(error)
  }
}

/// The data of an item that the queue's examination needs.
struct QueueItem {
  let row: LibraryScan.Row
  let item: LibraryItem
  /// The whole record, for payloads that must be rebuilt.
  let line: String

  init?(_ found: LibraryScan.Found) throws {
    guard let row = found.rows.first(where: { $0.table == TableMaps.content.table }),
      case .item(let item) = try TypedRecord(json: JSONDocument(parsing: found.line.span).root)
    else { return nil }
    self.row = row
    self.item = item
    line = String(decoding: found.line, as: UTF8.self)
  }
}

/// The changes to one item's operations and to its status.
struct QueuePlan {
  /// The change of one operation.
  enum Change {
    /// The operation is written again.
    case write(SyncOperation)
    /// The operation is moved to the quarantine.
    case quarantine(reason: String)
  }

  /// The operations that change.
  var changes: [(row: QueueRow, change: Change)] = []
  /// Operations that are missing from the queue. They get their numbers when they are written.
  var additions: [SyncOperation] = []
  /// The status that the item should have; nil if it is correct.
  var status: String?
  /// Whether the item becomes private, because it could not be withdrawn while public.
  var makesPrivate = false
  /// The item, if it exists.
  var item: QueueItem?
  /// The findings about the item and its operations.
  var findings: [Diagnostic] = []

  /// Whether the plan contains no changes.
  var isEmpty: Bool { changes.isEmpty && additions.isEmpty && status == nil && !makesPrivate }
}
