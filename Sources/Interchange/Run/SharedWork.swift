import Foundation
import Synchronization

/// Work in numbered parts that several threads take in turn; the results come out in the order of the numbers.
package final class SharedWork<Value: Sendable>: Sendable {
  private let parts: Int
  private let next = Atomic<Int>(0)
  private let results: Mutex<[Int: Value]> = Mutex([:])

  /// Plans so many parts.
  package init(parts: Int) { self.parts = parts }

  /// The number of a part that nobody has taken yet; nil when there is none.
  package func take() -> Int? {
    let number = next.add(1, ordering: .relaxed).oldValue
    return number < parts ? number : nil
  }

  /// Hands in what came of a part.
  package func finish(_ number: Int, _ value: Value) { results.withLock { $0[number] = value } }

  /// Calls `body` on several threads, the one that asks among them, and waits until all have returned.
  /// - Returns: what was handed in.
  package func run(on threads: Int, _ body: @escaping @Sendable () -> Void) -> [Value] {
    begin(on: threads, body)()
  }

  /// Calls `body` on several threads beside the one that asks, which has other things to do meanwhile.
  /// - Returns: what takes part in the rest of the work, waits until all have returned, and answers what was handed in.
  package func begin(on threads: Int, _ body: @escaping @Sendable () -> Void) -> () -> [Value] {
    let done = DispatchGroup()
    for _ in 1..<max(1, min(threads, parts + 1)) {
      done.enter()
      let thread = Thread {
        body()
        done.leave()
      }
      // What nests deeply is read by recursion; the stack of a pool's thread is too small for that.
      thread.stackSize = 8 << 20
      thread.name = "fleetkit.shared"
      thread.start()
    }
    return { [self] in
      body()
      done.wait()
      return results.withLock { results in (0..<parts).compactMap { results[$0] } }
    }
  }
}
