import Content
import SQLiteIO

/// One of the two queues: a table `sync_queue` with the app's columns, and its statements.
///
/// Statements are prepared on first use and then kept. Not thread-safe.
final class QueueTable {
  let place: QueuePlace
  let connection: SQLiteConnection
  private var statements: [String: SQLiteStatement] = [:]

  init(_ place: QueuePlace, _ connection: SQLiteConnection) {
    self.place = place
    self.connection = connection
  }

  /// The position at which a page of rows ends.
  struct Position: Equatable, Comparable {
    var createdAt = ""
    var number: Int64 = 0

    static func < (left: Position, right: Position) -> Bool {
      left.createdAt == right.createdAt ? left.number < right.number : left.createdAt < right.createdAt
    }
  }

  /// A row that may be sent, without its payload.
  struct Candidate {
    let id: OperationID
    let contentID: String
    let position: Position
  }

  static let live = "syncedAt IS NULL AND retryCount < \(QueueEntry.tries)"
  static let columns = """
    id, contentID, operation, payload, createdAt, retryCount, lastError, syncedAt, nextRetryAt
    """

  /// Returns a prepared statement, ready to be bound.
  func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try connection.prepare(sql, as: "use the queue")
    statements[sql] = statement
    return statement
  }
}
