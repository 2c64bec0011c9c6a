import Foundation
import Synchronization

/// Threads for the jobs of a run. A thread that has finished its job waits for the next one.
///
/// Jobs may block on a queue, on a lock, or on another job. So a job never waits for a thread, and the pool has as many
/// threads as jobs were running at the same time. Every thread has a stack of 8 MB, because deeply nested content is
/// read by recursion. A thread without a job ends after a few seconds. The pool may be used from any thread.
package final class ThreadPool: @unchecked Sendable {
  /// The pool of this process, which is the only code that creates threads.
  package static let shared = ThreadPool()

  private let patience: TimeInterval
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  /// The number of threads without a job. They wait for a job, or are about to look for one.
  private var free = 0
  private var total = 0

  /// Creates a pool without threads.
  /// - Parameter patience: how long a thread waits for a job before it ends, in seconds.
  package init(patience: TimeInterval = 5) { self.patience = patience }

  /// The number of threads created so far.
  package var created: Int {
    condition.lock()
    defer { condition.unlock() }
    return total
  }

  /// Runs a job on a thread of the pool and returns immediately.
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

  /// Waits for a job and performs it. Returns false if no job came.
  private func performNext() -> Bool {
    guard let job = nextJob() else { return false }
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

  private func nextJob() -> (@Sendable () -> Void)? {
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

  /// Begins the work. It runs to its end, even if the result is not requested.
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

  /// Waits for the end of the work. May be called more than once, and from any thread.
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

/// Passes elements from one thread to another, a few at a time.
package final class BoundedQueue<Element>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private let cost: (Element) -> Int
  private var elements: [Element] = []
  private var used = 0
  private var ended: Result<Void, any Error>?
  private var abandoned = false

  /// - Parameters:
  ///   - capacity: the capacity of the queue; a single element is accepted whatever its cost.
  ///   - cost: the part of the capacity that an element needs; 1 if all elements need the same.
  package init(capacity: Int, cost: @escaping (Element) -> Int = { _ in 1 }) {
    self.capacity = capacity
    self.cost = cost
  }

  /// Creates a queue that a job on another thread fills. The queue ends when the job returns or throws.
  ///
  /// The job should return when `send` returns false. It must not hold the object that abandons the queue in its
  /// `deinit`.
  package static func filled(
    capacity: Int, cost: @escaping (Element) -> Int = { _ in 1 },
    by work: @escaping @Sendable (BoundedQueue) throws -> Void
  ) -> BoundedQueue {
    let queue = BoundedQueue(capacity: capacity, cost: cost)
    ThreadPool.shared.run { queue.end(Result { try work(queue) }) }
    return queue
  }

  /// Waits for room and adds an element. Returns false if the queue was abandoned.
  package func send(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let cost = cost(element)
    while !elements.isEmpty, used + cost > capacity, !abandoned { condition.wait() }
    if abandoned { return false }
    elements.append(element)
    used += cost
    condition.broadcast()
    return true
  }

  /// Ends the queue. Once it is empty, `receive` returns nil or throws.
  package func end(_ result: Result<Void, any Error>) {
    condition.lock()
    ended = result
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for an element and returns it; nil at the end.
  /// - Throws: the error that the queue was ended with.
  package func receive() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, ended == nil { condition.wait() }
    if !elements.isEmpty {
      let element = elements.removeFirst()
      used -= cost(element)
      condition.broadcast()
      return element
    }
    try ended?.get()
    return nil
  }

  /// Removes and returns all elements. Waits for the first one, at most for the given number of seconds.
  /// - Throws: the error that the queue was ended with, if the queue is empty.
  package func receiveAll(atMost seconds: Double) throws -> [Element] {
    condition.lock()
    defer { condition.unlock() }
    if elements.isEmpty, ended == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
    if elements.isEmpty { try ended?.get() }
    defer {
      elements = []
      used = 0
      condition.broadcast()
    }
    return elements
  }

  /// Drops all elements, makes `send` return false, and waits until the queue has ended.
  package func abandon() {
    condition.lock()
    abandoned = true
    elements.removeAll()
    condition.broadcast()
    while ended == nil { condition.wait() }
    condition.unlock()
  }
}

/// Maps inputs to outputs on several threads. The outputs come in the order of the inputs, whichever thread is faster.
///
/// Threads take the inputs in order. An input may have any number of outputs. Memory is bounded: at most `ahead`
/// inputs are in progress in addition to the one whose outputs are being returned, each with at most `capacity`
/// waiting outputs.
///
/// If an input throws, its error is thrown after the outputs of all earlier inputs, and no more inputs begin. Outputs
/// are requested from one thread. When the map is released, it waits until its threads have stopped.
package final class OrderedMap<Output> {
  /// The queue for the outputs of one input. `send` returns false if outputs are no longer needed.
  package typealias Outputs = BoundedQueue<Output>

  private let lanes: BoundedQueue<Outputs>
  private let isOver: () -> Void
  private var current: Outputs?

  /// Begins the mapping.
  /// - Parameters:
  ///   - inputs: provides one input at a time, to any of the threads.
  ///   - threads: the number of threads, at least 1.
  ///   - makeWorker: called on each thread, with its number, before its first input; returns the function that sends
  ///     the outputs of an input.
  package init<Inputs: Sequence>(
    _ inputs: Inputs, threads: Int, ahead: Int, capacity: Int = 1,
    _ makeWorker: @escaping @Sendable (Int) throws -> (Inputs.Element, Outputs) throws -> Void
  ) {
    let lanes = BoundedQueue<Outputs>(capacity: ahead)
    var iterator = inputs.makeIterator()
    let source = MapInputs({ iterator.next() }, threads: max(1, threads), lanes, capacity: capacity)
    self.lanes = lanes
    isOver = { source.isOver.store(true, ordering: .relaxed) }
    for thread in 0..<max(1, threads) {
      ThreadPool.shared.run {
        var worker: ((Inputs.Element, Outputs) throws -> Void)?
        while let (input, outputs) = source.nextInput() {
          let result = Result {
            let work = try worker ?? makeWorker(thread)
            worker = work
            try work(input, outputs)
          }
          if case .failure = result { source.isOver.store(true, ordering: .relaxed) }
          outputs.end(result)
        }
        worker = nil
        source.leave()
      }
    }
  }

  deinit {
    isOver()
    current?.abandon()
    // The loop ends when the last thread has stopped.
    while let outputs = try? lanes.receive() { outputs.abandon() }
  }

  /// Waits for the next output and returns it; nil at the end.
  /// - Throws: what the work on an input threw.
  package func next() throws -> Output? {
    while true {
      guard let outputs = try current ?? lanes.receive() else { return nil }
      current = outputs
      if let output = try outputs.receive() { return output }
      current = nil
    }
  }
}

/// The inputs of a map, and the threads that still take them.
private final class MapInputs<Input, Output>: @unchecked Sendable {
  let isOver = Atomic<Bool>(false)
  private let lock = NSLock()
  private let next: () -> Input?
  private var threads: Int
  private let lanes: BoundedQueue<BoundedQueue<Output>>
  private let capacity: Int

  init(_ next: @escaping () -> Input?, threads: Int, _ lanes: BoundedQueue<BoundedQueue<Output>>, capacity: Int) {
    self.next = next
    self.threads = threads
    self.lanes = lanes
    self.capacity = capacity
  }

  /// Returns the next input, and the queue for its outputs. Waits while enough inputs are in progress.
  func nextInput() -> (Input, BoundedQueue<Output>)? {
    lock.lock()
    defer { lock.unlock() }
    guard !isOver.load(ordering: .relaxed), let input = next() else { return nil }
    let outputs = BoundedQueue<Output>(capacity: capacity)
    _ = lanes.send(outputs)
    return (input, outputs)
  }

  func leave() {
    lock.lock()
    defer { lock.unlock() }
    threads -= 1
    if threads == 0 { lanes.end(.success(())) }
  }
}
