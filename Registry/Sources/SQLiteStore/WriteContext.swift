import GRDB
import RegistryModel
import RegistryStore

/// What one write works with.
final class WriteContext {
  let db: Database
  /// Items that the group changed, which must not be answered from memory.
  private(set) var changed: Set<ByteText> = []
  /// The items that the group published; nil when it changed any in another way.
  private(set) var published: [ContentHead]? = []

  /// Whether the group ended a session or changed a user.
  private(set) var changedPeople = false
  private let hot: HotItems
  /// The owners whose operations the group did so far.
  private var owners: [RegistryID: Owner] = [:]
  /// What the group changes in the search index, in order.
  private var searchChanges: [(sql: String, arguments: StatementArguments)] = []

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
  func change(_ publicID: String) {
    changed.insert(ByteText(publicID))
    published = nil
  }

  /// Notes that what copies say of their original is not what it was: its author's name, or whether it is public.
  /// - Parameter id: of the first item of their lineage; nothing happens for another one.
  func changeCopies(of id: RegistryID) throws {
    let copies = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT number, public_id FROM shared_content WHERE root_id = ? AND deleted_at IS NULL"),
      arguments: [id.text])
    for copy in copies { try changeCredits(of: copy) }
  }

  /// Notes that what an item says of authors is not what it was, though its digest is.
  /// - Parameter row: its number and slug.
  func changeCredits(of row: Row) throws {
    guard let number = row.integer(0), let publicID = row.text(1) else { throw StoreProblem.damaged }
    try execute("INSERT OR IGNORE INTO content_recredited (number) VALUES (?)", [number])
    change(publicID)
  }

  /// Notes that an item is there that was not there before.
  func publish(_ head: ContentHead) {
    changed.insert(ByteText(head.publicID))
    published?.append(head)
  }

  /// Notes that a session ended or that a user is not what it was.
  func changePeople() {
    changedPeople = true
    owners = [:]
  }

  /// Whoever owns what is changed.
  struct Owner {
    let username: String
    /// When something of theirs changed last, in milliseconds; `Int64.min` when they have nothing. Not earlier than
    /// that where a write was undone.
    var lastChange: Int64
  }

  /// An owner, read once for all operations of the group.
  /// - Throws: `StoreFailure.unknownUser`.
  func owner(_ id: RegistryID) throws -> Owner {
    if let known = owners[id] { return known }
    guard let user = try row("SELECT username FROM users WHERE id = ?", [id.text]), let username = user.text(0) else {
      throw StoreFailure.unknownUser
    }
    let last = try row("SELECT MAX(updated_at) FROM shared_content WHERE user_id = ?", [id.text])?.integer(0)
    let owner = Owner(username: username, lastChange: last ?? .min)
    owners[id] = owner
    return owner
  }

  /// Notes when something of an owner changed last.
  func note(lastChange: Int64, of id: RegistryID) { owners[id]?.lastChange = lastChange }

  /// Runs a statement that changes rows; it stays prepared.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// How many changes of the search index wait.
  var searchChangeCount: Int { searchChanges.count }

  /// Notes a change of the search index, which is made when the group's writes are done: FTS5 writes out what it
  /// gathered at every savepoint, and merges the many small parts later.
  func changeSearch(_ sql: String, _ arguments: StatementArguments) { searchChanges.append((sql, arguments)) }

  /// Forgets the changes behind the first ones: what asked for them was undone.
  func forgetSearchChanges(behind count: Int) { searchChanges.removeSubrange(count...) }

  /// Makes the changes of the search index that wait.
  func writeSearchChanges() throws {
    for change in searchChanges { try execute(change.sql, change.arguments) }
    searchChanges = []
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
