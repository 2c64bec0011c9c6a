import Foundation

/// Threads for the jobs of a run. A thread that has finished its job waits for the next one.
///
/// Jobs may block: on a queue, on a lock, on another job. So a job never waits for a thread, and the pool has as many
/// threads as jobs ran at the same time. Every thread has a stack of 8 MB, because deeply nested content is read by
/// recursion. A thread without a job ends after a few seconds. May be used from any thread.
package final class ThreadPool: @unchecked Sendable {
  /// The pool of this process: the only place that creates threads.
  package static let shared = ThreadPool()

  private let patience: TimeInterval
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  /// Threads that have no job: they wait for one, or are about to look for one.
  private var free = 0
  private var total = 0

  /// Makes a pool without threads.
  /// - Parameter patience: how long a thread waits for a job before it ends, in seconds.
  package init(patience: TimeInterval = 5) { self.patience = patience }

  /// How many threads were created so far.
  package var created: Int {
    condition.lock()
    defer { condition.unlock() }
    return total
  }

  /// Runs a job on a thread of the pool and returns at once.
  package func run(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    jobs.append(job)
    if jobs.count <= free {
      condition.signal()
    } else {
      addThread()
    }
  }

  private func addThread() {
    free += 1
    total += 1
    let thread = Thread { [self] in while performNext() {} }
    thread.stackSize = 8 << 20
    thread.name = "fleetkit.pool"
    thread.start()
  }

  /// Waits for a job and performs it; false when none came.
  private func performNext() -> Bool {
    guard let job = take() else { return false }
    #if canImport(ObjectiveC)
      autoreleasepool { job() }
    #else
      job()
    #endif
    condition.lock()
    free += 1
    condition.unlock()
    return true
  }

  private func take() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: patience)
    while jobs.isEmpty, condition.wait(until: end) {}
    free -= 1
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}

/// Work on another thread, and its result.
package final class BackgroundWork<Value: Sendable, Failure: Error>: @unchecked Sendable {
  private let condition = NSCondition()
  private var result: Result<Value, Failure>?

  /// Begins. The work runs to its end, even if the result is not asked for.
  package init(_ work: @escaping @Sendable () throws(Failure) -> Value) {
    ThreadPool.shared.run { [self] in
      let result: Result<Value, Failure>
      do throws(Failure) { result = .success(try work()) } catch { result = .failure(error) }
      condition.lock()
      self.result = result
      condition.broadcast()
      condition.unlock()
    }
  }

  /// Waits for the end. May be called more than once, and from any thread.
  /// - Throws: what the work threw.
  package func wait() throws(Failure) -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      condition.wait()
    }
  }
}

/// Work that may throw any error.
package typealias Background<Value: Sendable> = BackgroundWork<Value, any Error>
