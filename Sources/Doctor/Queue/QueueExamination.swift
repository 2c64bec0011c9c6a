import Content
import Diagnostics
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Collects operations and their items while a library is read, and evaluates them item by item.
///
/// Only the queue is kept in memory, and items that have operations, are public, or have an unfinished status.
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
  mutating func take(_ found: LibraryScan.Found) throws {
    switch found.kind {
    case .item:
      guard let row = found.rows.first, row.table == TableMaps.content.table,
        let id = RecordLine.id(of: found.line)
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
