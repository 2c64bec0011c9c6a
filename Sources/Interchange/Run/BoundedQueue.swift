import Foundation

/// Hands batches from one thread to another, a few at a time.
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

  /// Waits for room and adds an element; false when the other side has gone.
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

  /// Says that nothing more comes, or why.
  package func end(_ result: Result<Void, any Error>) {
    condition.lock()
    ended = result
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for an element; nil at the end.
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

  /// Says that nobody receives any more, and waits until the sender has noticed.
  package func abandon() {
    condition.lock()
    abandoned = true
    elements.removeAll()
    condition.broadcast()
    while ended == nil { condition.wait() }
    condition.unlock()
  }
}
