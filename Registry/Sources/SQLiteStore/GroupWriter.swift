import Dispatch
import Foundation
import GRDB
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
  private let hot: ItemCache
  private let people: SessionCache
  private let options: SQLiteStoreOptions
  private let queue = DispatchQueue(label: "registry.writer", qos: .userInitiated)
  private let state = Mutex(State())

  init(pool: DatabasePool, hot: ItemCache, people: SessionCache, options: SQLiteStoreOptions) {
    self.pool = pool
    self.hot = hot
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
        if hot.viewsWait { run([], flush: true) }
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
      hot.endFlush(committed: true)
      hot.endChange()
      people.endChange()
      for answer in answers { answer() }
    } catch {
      hot.endFlush(committed: false)
      hot.endChange()
      people.endChange()
      for job in group { job.fail(error) }
      if flush { flushSoon() }
    }
  }

  /// Carries out a group's writes in one transaction.
  /// - Parameter apart: whether each write has its own savepoint.
  /// - Throws: `OneFailed` when a write without a savepoint failed; in that case nothing was changed.
  private func commit(
    _ group: [Job], flush: Bool, apart: Bool, _ db: Database
  ) throws -> [@Sendable () -> Void] {
    // A failed rollback may have left a transaction open; no caller was told that its write succeeded.
    if db.isInsideTransaction { try db.rollback() }
    let context = WriteContext(db, hot: hot)
    do {
      try db.beginTransaction(.immediate)
      let answers = try group.map { apart ? try run($0, in: context) : try runPlainly($0, in: context) }
      try context.writeSearchChanges()
      if flush { try writeViews(context) }
      hot.beginChange(context.changed, published: context.published)
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
    guard let flush = hot.beginFlush() else { return }
    try context.execute("SAVEPOINT views")
    do {
      try add(flush, context)
      try context.execute("RELEASE views")
    } catch {
      // Counts can wait; the callers' writes cannot.
      guard context.db.isInsideTransaction else { throw error }
      try context.execute("ROLLBACK TO views")
      try context.execute("RELEASE views")
      hot.endFlush(committed: false)
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
