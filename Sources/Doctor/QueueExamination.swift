import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Collects operations and their items while a library is read, and evaluates them item by item.
///
/// Only the queue is kept in memory, together with the items that have operations, are public, or have an unfinished
/// status.
struct QueueExamination {
  private let file: String
  /// The ids of items that have operations, as stored and in normalized form.
  private let wanted: Set<String>
  private let hasQueue: Bool
  private var items: [String: QueueItem] = [:]
  private var rows: [String: [QueueRow]] = [:]

  init(_ connection: SQLiteConnection, _ schema: LibrarySchema, file: String) throws(SQLiteError) {
    self.file = file
    var wanted = Set<String>()
    if let column = ["contentID", "content_id"].first(where: { schema.tables["sync_queue"]?.contains($0) ?? false }) {
      for row in try connection.rows("SELECT DISTINCT \(column) FROM sync_queue") {
        guard let id = row[0] else { continue }
        wanted.formUnion([id, CanonicalUUID.canonical(id)])
      }
    }
    self.wanted = wanted
    hasQueue = schema.tables["sync_queue"] != nil
  }

  /// Collects a record if the examination needs it.
  mutating func collect(_ found: LibraryScan.Found) throws {
    switch found.kind {
    case .item:
      guard let row = found.rows.first, row.table == TableMaps.content.table,
        let id = RecordLine.id(of: found.line.span)
      else { return }
      if wanted.contains(row.id) || wanted.contains(id) || Self.isUnfinished(found.line) || Self.mayBePublic(found.line)
      {
        items[id] = try QueueItem(found)
      }
    case .syncOperation:
      let row = try QueueRow(found)
      rows[row.operation.contentID, default: []].append(row)
    default: return
    }
  }

  /// Returns the necessary changes, item by item in the order of their ids. Operations of missing items are left out.
  func plans() -> [QueuePlan] {
    items.sorted { $0.key < $1.key }.map { id, item in
      var queue = ItemQueue(file: file, item: item, rows: rows[id] ?? [], hasQueue: hasQueue)
      return queue.weigh()
    }
  }

  private static func mayBePublic(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most items are private, which is visible near the beginning of the line.
    !line.contains("\"visibility\":\"private\"")
  }

  private static func isUnfinished(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    // Quotes inside strings are escaped, so these bytes can only be the member.
    line.contains("\"sync_status\":\"queued\"") || line.contains("\"sync_status\":\"syncing\"")
  }
}

/// Applies the decisions of the queue's examination.
struct QueueRepair {
  private let repair: LibraryRepair

  init(_ repair: LibraryRepair) { self.repair = repair }

  /// Applies the decisions repeatedly until nothing remains to be done.
  func run() throws {
    for _ in 0..<4 {
      if try runOnce() == 0 { return }
    }
  }

  private func runOnce() throws -> Int {
    var queue = try QueueExamination(repair.connection, repair.schema, file: repair.file)
    try LibraryScan(repair.connection, repair.schema, file: repair.file).run { found in
      try Interruption.check()
      try queue.collect(found)
    }
    let plans = queue.plans().filter { !$0.isEmpty }
    let editor = try RowEditor(repair.connection, repair.schema, now: repair.now)
    for plan in plans {
      for (row, change) in plan.changes { try apply(change, to: row, plan.item?.item.title, editor) }
      for addition in plan.additions { try add(addition, editor) }
      if plan.makesPrivate, let item = plan.item { try makePrivate(item) }
      if let status = plan.status, let item = plan.item {
        _ = try repair.connection.rows("UPDATE library_content SET syncStatus = ? WHERE id = ?", [status, item.row.id])
      }
    }
    return plans.count
  }

  private func apply(
    _ change: QueuePlan.Change, to row: QueueRow, _ title: String?, _ editor: RowEditor
  ) throws {
    var before = try TypedRecord.syncOperation(row.operation).canonicalLine()
    switch change {
    case .quarantine(let reason):
      try before.withUTF8 { try repair.quarantine.add($0, because: reason, title: title) }
      try editor.remove([row.row])
    case .write(var operation):
      if operation.payload != row.operation.payload, !row.isSound,
        row.operation.payload != nil || !row.operation.extras.isEmpty
      {
        try before.withUTF8 { try repair.originals.add($0, title: title) }
      }
      operation.extras = []
      var after = try TypedRecord.syncOperation(operation).canonicalLine()
      try after.withUTF8 { try editor.write($0, .syncOperation, over: [row.row]) }
    }
  }

  private func makePrivate(_ item: QueueItem) throws {
    var line = item.line
    try line.withUTF8 { try repair.originals.add($0, title: item.item.title) }
    let columns = repair.schema.tables["library_content"] ?? []
    let cleared = ["publishedAt", "publicMetadata"].filter(columns.contains).map { ", \($0) = NULL" }.joined()
    _ = try repair.connection.rows(
      "UPDATE library_content SET visibility = 'private'\(cleared) WHERE id = ?", [item.row.id])
  }

  private func add(_ operation: SyncOperation, _ editor: RowEditor) throws {
    var operation = operation
    operation.id = Int(try editor.nextOperation())
    operation.createdAt = operation.createdAt ?? repair.now
    try editor.addOperation(try TypedRecord.syncOperation(operation).canonicalLine())
  }
}
