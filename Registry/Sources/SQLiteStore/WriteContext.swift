import GRDB
import RegistryModel
import RegistryStore

/// The state of one group of writes.
final class WriteContext {
  let db: Database
  /// The items that the group changed, which must not be answered from memory.
  private(set) var changed: Set<ByteKey> = []
  /// The items that the group published; nil when the group also made other changes.
  private(set) var published: [PublicationHead]? = []

  /// Whether the group ended a session or changed a user.
  private(set) var changedPeople = false
  private let hot: ItemCache
  /// The owners whose operations the group has carried out so far.
  private var owners: [RegistryID: Owner] = [:]
  /// The group's changes to the search index, in order.
  private var searchChanges: [(sql: String, arguments: StatementArguments)] = []

  init(_ db: Database, hot: ItemCache) {
    self.db = db
    self.hot = hot
  }

  /// Returns a row's head, with the waiting views.
  func counted(_ content: ContentRow) -> PublicationHead {
    var head = content.head
    head.viewCount &+= hot.missing(from: [content.number], seen: content.seen)?.first ?? 0
    return head
  }

  /// Records that an item has changed.
  func change(_ publicID: String) {
    changed.insert(ByteKey(publicID))
    published = nil
  }

  /// Records that the data about an original has changed for its copies: its author's name, or whether it is public.
  /// - Parameter id: the first item of the copies' lineage; for any other item, nothing is done.
  func changeCopies(of id: RegistryID) throws {
    let copies = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT number, public_id FROM shared_content WHERE root_id = ? AND deleted_at IS NULL"),
      arguments: [id.text])
    for copy in copies { try changeCredits(of: copy) }
  }

  /// Records that an item's credits have changed, although its digest has not.
  /// - Parameter row: the item's number and slug.
  func changeCredits(of row: Row) throws {
    guard let number = row.integer(0), let publicID = row.text(1) else { throw StoreProblem.damaged }
    try execute("INSERT OR IGNORE INTO content_recredited (number) VALUES (?)", [number])
    change(publicID)
  }

  /// Records a new item.
  func publish(_ head: PublicationHead) {
    changed.insert(ByteKey(head.publicID))
    published?.append(head)
  }

  /// Records that a session ended or that a user has changed.
  func changePeople() {
    changedPeople = true
    owners = [:]
  }

  /// The owner of changed items.
  struct Owner {
    let username: String
    /// The time of the owner's last change, in milliseconds; `Int64.min` when the owner has no items. It may be later
    /// than the actual time if a write was undone, but not earlier.
    var lastChange: Int64
  }

  /// Returns an owner, read once for all operations of the group.
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

  /// Records the time of an owner's last change.
  func note(lastChange: Int64, of id: RegistryID) { owners[id]?.lastChange = lastChange }

  /// Runs a statement that changes rows; the prepared statement is kept.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The number of waiting changes to the search index.
  var searchChangeCount: Int { searchChanges.count }

  /// Records a change to the search index. The change is made when the group's writes are done, because FTS5 writes its
  /// collected changes out at every savepoint and has to merge the many small segments later.
  func changeSearch(_ sql: String, _ arguments: StatementArguments) { searchChanges.append((sql, arguments)) }

  /// Drops the changes after the first `count`: the writes that requested them were undone.
  func forgetSearchChanges(behind count: Int) { searchChanges.removeSubrange(count...) }

  /// Makes the waiting changes to the search index.
  func writeSearchChanges() throws {
    for change in searchChanges { try execute(change.sql, change.arguments) }
    searchChanges = []
  }

  /// Returns the first row of a query; the prepared statement is kept.
  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// Whether a query has a row; the prepared statement is kept.
  func exists(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
    try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) != nil
  }
}
