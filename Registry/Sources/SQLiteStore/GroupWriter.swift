import Dispatch
import Foundation
import GRDB
import RegistryModel
import RegistryStore
import Synchronization

/// Writes in groups: all writes that arrive during a commit go into the next group.
///
/// One commit waits once for the disk, however many callers it serves. A failed write does not undo the others: the
/// group is then repeated, with a savepoint for each write. A savepoint copies every page that was changed before,
/// which is most of them, so savepoints are used only after a failure. A caller is always answered after the commit.
final class GroupWriter: Sendable {
  /// One caller's write.
  private struct Job: Sendable {
    let weight: Int
    /// Does the work, possibly twice. The function that it returns informs the caller after the commit.
    let run: @Sendable (WriteContext) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var weight = 0
    var draining = false
    var closed = false
    var flushDue = false
    /// The number of callers in the last group.
    var last = 0
  }

  /// The maximum weight of one transaction (512 operations, or 16 MiB): a larger one would make all callers wait.
  private static let groupWeight = 512
  /// How often a group waits for expected callers, and for how many microseconds each time.
  private static let pauses = 4
  private static let pause: UInt32 = 500
  private let pool: DatabasePool
  private let views: WaitingViews
  private let people: SessionCache
  private let options: SQLiteStoreOptions
  private let queue = DispatchQueue(label: "registry.writer", qos: .userInitiated)
  private let state = Mutex(State())

  init(pool: DatabasePool, views: WaitingViews, people: SessionCache, options: SQLiteStoreOptions) {
    self.pool = pool
    self.views = views
    self.people = people
    self.options = options
  }

  /// Carries out a write and returns when it is on disk.
  /// - Parameter weight: the approximate number of operations.
  /// - Throws: the error of `work`, in which case none of its changes are kept, or `StoreFailure`.
  func perform<Value: Sendable>(
    weight: Int = 1, _ work: @escaping @Sendable (WriteContext) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(
        weight: max(1, weight),
        run: { context in
          let value = try work(context)
          return { continuation.resume(returning: value) }
        },
        fail: { continuation.resume(throwing: StoreProblem.failure($0)) })
      if let refusal = enqueue(job) { continuation.resume(throwing: refusal) }
    }
  }

  /// Schedules waiting views to be written after a delay, with the next group or on their own.
  func flushSoon() {
    queue.asyncAfter(deadline: .now() + .milliseconds(options.viewDelay)) { [weak self] in
      self?.state.withLock { $0.flushDue = true }
      self?.start()
    }
  }

  /// Accepts no more writes, writes the waiting ones, and returns when this is done.
  func finish() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.closed = true }
      queue.async { [self] in
        drain()
        if !views.isEmpty { run([], flush: true) }
        continuation.resume()
      }
    }
  }

  // MARK: The queue

  private func enqueue(_ job: Job) -> StoreFailure? {
    let refusal = state.withLock { state -> StoreFailure? in
      if state.closed { return .closed }
      guard state.weight + job.weight <= max(options.waitingLimit, job.weight),
        state.waiting.count < options.waitingLimit
      else { return StoreProblem.tooMuchWaits }
      state.waiting.append(job)
      state.weight += job.weight
      return nil
    }
    if refusal == nil { start() }
    return refusal
  }

  private func start() {
    let begin = state.withLock { state in
      defer { state.draining = true }
      return !state.draining
    }
    if begin { queue.async { [self] in drain() } }
  }

  /// Waits a moment when the last group was much larger than the waiting one. The last group's callers have just been
  /// answered and are likely to send their next write soon, and a commit costs the same for one caller as for all of
  /// them.
  private func gather() {
    for _ in 0..<Self.pauses {
      guard state.withLock({ !$0.closed && !$0.waiting.isEmpty && $0.waiting.count < $0.last / 2 }) else { return }
      usleep(Self.pause)
    }
  }

  private func drain() {
    while true {
      gather()
      let (group, flush) = state.withLock { state -> ([Job], Bool) in
        var weight = 0
        var count = 0
        while count < state.waiting.count, weight == 0 || weight + state.waiting[count].weight <= Self.groupWeight {
          weight += state.waiting[count].weight
          count += 1
        }
        let group = Array(state.waiting[..<count])
        if count > 0 { state.last = count }
        state.waiting.removeFirst(count)
        state.weight -= weight
        let flush = state.flushDue
        state.flushDue = false
        if group.isEmpty, !flush { state.draining = false }
        return (group, flush)
      }
      if group.isEmpty, !flush { return }
      run(group, flush: flush)
    }
  }

  // MARK: One group

  /// The error for a write that failed without a savepoint.
  private struct OneFailed: Error {}

  private func run(_ group: [Job], flush: Bool) {
    do {
      let answers = try pool.writeWithoutTransaction { db in
        do {
          return try commit(group, flush: flush, apart: false, db)
        } catch is OneFailed {
          return try commit(group, flush: flush, apart: true, db)
        }
      }
      views.endFlush(committed: true)
      people.endChange()
      for answer in answers { answer() }
    } catch {
      views.endFlush(committed: false)
      people.endChange()
      for job in group { job.fail(error) }
      if flush { flushSoon() }
    }
  }

  /// Carries out a group's writes in one transaction.
  /// - Parameter apart: whether each write has its own savepoint.
  /// - Throws: `OneFailed` if a write without a savepoint failed; in that case nothing was changed.
  private func commit(
    _ group: [Job], flush: Bool, apart: Bool, _ db: Database
  ) throws -> [@Sendable () -> Void] {
    // A failed rollback may have left a transaction open; no caller was told that its write succeeded.
    if db.isInsideTransaction { try db.rollback() }
    let context = WriteContext(db, views: views)
    do {
      try db.beginTransaction(.immediate)
      let answers = try group.map { apart ? try run($0, in: context) : try runPlainly($0, in: context) }
      try context.writeSearchChanges()
      if flush { try writeViews(context) }
      if context.changedPeople { people.beginChange() }
      try db.commit()
      return answers
    } catch {
      try? db.rollback()
      throw error
    }
  }

  private func runPlainly(_ job: Job, in context: WriteContext) throws -> @Sendable () -> Void {
    do { return try job.run(context) } catch { throw OneFailed() }
  }

  private func run(_ job: Job, in context: WriteContext) throws -> @Sendable () -> Void {
    let searchChanges = context.searchChangeCount
    try context.execute("SAVEPOINT write")
    do {
      let answer = try job.run(context)
      try context.execute("RELEASE write")
      return answer
    } catch {
      // A full disk may end the whole transaction, in which case all writes are lost.
      guard context.db.isInsideTransaction else { throw error }
      try context.execute("ROLLBACK TO write")
      try context.execute("RELEASE write")
      context.forgetSearchChanges(behind: searchChanges)
      return { job.fail(error) }
    }
  }

  private func writeViews(_ context: WriteContext) throws {
    guard let flush = views.beginFlush() else { return }
    try context.execute("SAVEPOINT views")
    do {
      try add(flush, context)
      try context.execute("RELEASE views")
    } catch {
      // Counts can wait; the callers' writes cannot.
      guard context.db.isInsideTransaction else { throw error }
      try context.execute("ROLLBACK TO views")
      try context.execute("RELEASE views")
      views.endFlush(committed: false)
      flushSoon()
    }
  }

  private func add(_ flush: (number: Int64, counts: [Int64: Int64]), _ context: WriteContext) throws {
    for (row, count) in flush.counts {
      try context.execute("UPDATE shared_content SET view_count = view_count + ? WHERE number = ?", [count, row])
    }
    try context.execute("UPDATE store_state SET view_flush = ?", [flush.number])
  }
}

/// The state of one group of writes.
final class WriteContext {
  let db: Database
  /// Whether the group ended a session or changed a user.
  private(set) var changedPeople = false
  private let views: WaitingViews
  /// The owners whose operations the group has carried out so far.
  private var owners: [RegistryID: Owner] = [:]
  /// The group's changes to the search index, in order.
  private var searchChanges: [(sql: String, arguments: StatementArguments)] = []

  init(_ db: Database, views: WaitingViews) {
    self.db = db
    self.views = views
  }

  /// Returns a row's head, with the waiting views.
  func counted(_ content: ContentRow) -> PublicationHead {
    var head = content.head
    head.viewCount &+= views.missing(from: [content])?.first ?? 0
    return head
  }

  func recreditCopies(of id: RegistryID) throws {
    try execute(
      """
      INSERT OR IGNORE INTO content_recredited (number)
      SELECT number FROM shared_content WHERE root_id = ? AND deleted_at IS NULL
      """, [id.text])
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
  func record(lastChange: Int64, of id: RegistryID) { owners[id]?.lastChange = lastChange }

  /// Runs a statement that changes rows; the prepared statement is kept.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The number of waiting changes to the search index.
  fileprivate var searchChangeCount: Int { searchChanges.count }

  /// Records a change to the search index. The change is made when the group's writes are done, because FTS5 writes its
  /// collected changes out at every savepoint and has to merge the many small segments later.
  func changeSearch(_ sql: String, _ arguments: StatementArguments) { searchChanges.append((sql, arguments)) }

  /// Drops the changes after the first `count`: the writes that requested them were undone.
  fileprivate func forgetSearchChanges(behind count: Int) { searchChanges.removeSubrange(count...) }

  /// Makes the waiting changes to the search index.
  fileprivate func writeSearchChanges() throws {
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
