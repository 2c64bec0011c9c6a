import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Applies the decisions of the queue's examination.
struct QueueRepair {
  private let repair: LibraryRepair

  init(_ repair: LibraryRepair) { self.repair = repair }

  /// Applies them repeatedly until nothing remains to be done.
  func run() throws {
    for _ in 0..<4 {
      if try runOnce() == 0 { return }
    }
  }

  private func runOnce() throws -> Int {
    var queue = try QueueExamination(repair.connection, repair.schema, file: repair.file)
    try LibraryScan(repair.connection, repair.schema, file: repair.file).run { found in
      try Interruption.check()
      try queue.take(found)
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
