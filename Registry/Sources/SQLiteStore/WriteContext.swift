import GRDB
import RegistryModel

/// What one write works with.
final class WriteContext {
  let db: Database
  /// Items that the group changed, which must not be answered from memory.
  private(set) var changed: Set<ByteText> = []

  /// Whether the group ended a session or changed a user.
  private(set) var changedPeople = false
  private let hot: HotItems

  init(_ db: Database, hot: HotItems) {
    self.db = db
    self.hot = hot
  }

  /// A row's head with the views that wait.
  func counted(_ content: ContentRow) -> ContentHead {
    var head = content.head
    head.viewCount &+= hot.missing(from: [content.number], seen: content.seen)?.first ?? 0
    return head
  }

  /// Notes that an item is not what it was.
  func change(_ publicID: String) { changed.insert(ByteText(publicID)) }

  /// Notes that a session ended or that a user is not what it was.
  func changePeople() { changedPeople = true }

  /// Runs a statement that changes rows; it stays prepared.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The first row of a query that stays prepared.
  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// Whether a query that stays prepared has a row.
  func exists(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
    try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) != nil
  }
}
