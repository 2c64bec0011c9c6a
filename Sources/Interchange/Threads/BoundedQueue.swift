import Foundation

/// Hands elements from one thread to another, a few at a time.
package final class BoundedQueue<Element>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private let cost: (Element) -> Int
  private var elements: [Element] = []
  private var used = 0
  private var ended: Result<Void, any Error>?
  private var abandoned = false

  /// - Parameters:
  ///   - capacity: how much it holds; one element is taken whatever it costs.
  ///   - cost: how much of that an element needs; 1 where all are alike.
  package init(capacity: Int, cost: @escaping (Element) -> Int = { _ in 1 }) {
    self.capacity = capacity
    self.cost = cost
  }

  /// Makes a queue that a job on another thread fills. The queue ends when the job returns or throws.
  ///
  /// The job should return when `send` returns false. It must not hold the object whose `deinit` abandons the queue.
  package static func filled(
    capacity: Int, cost: @escaping (Element) -> Int = { _ in 1 },
    by work: @escaping @Sendable (BoundedQueue) throws -> Void
  ) -> BoundedQueue {
    let queue = BoundedQueue(capacity: capacity, cost: cost)
    ThreadPool.shared.run { queue.end(Result { try work(queue) }) }
    return queue
  }

  /// Waits for room and adds an element; false when the queue was abandoned.
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

  /// Ends the queue: `receive` returns nil or throws once it is empty.
  package func end(_ result: Result<Void, any Error>) {
    condition.lock()
    ended = result
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for an element; nil at the end.
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

  /// Takes all elements; waits for the first one, at most so many seconds.
  /// - Throws: the error that the queue was ended with, when it is empty.
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

  /// Drops what is in the queue, makes `send` return false, and waits until the queue was ended.
  package func abandon() {
    condition.lock()
    abandoned = true
    elements.removeAll()
    condition.broadcast()
    while ended == nil { condition.wait() }
    condition.unlock()
  }
}
