import Synchronization

/// Limits the number of concurrent long reads; the others wait in their order without blocking a thread.
///
/// Without this limit, each of a thousand searches would block a thread of the pool that the writer also needs.
final class ReadSemaphore: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    var first = 0
  }

  /// The maximum number of waiting reads; further ones are refused.
  private static let mostWaiting = 4096
  private let state: Mutex<State>

  init(_ places: Int) { state = Mutex(State(free: max(1, places))) }

  /// Runs `body` when a slot is free.
  /// - Throws: `StoreFailure.busy` when too many are already waiting, and the errors of `body`.
  func pass<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard state.withLock({ $0.waiting.count - $0.first < Self.mostWaiting }) else { throw StoreProblem.tooManyRead }
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if now { continuation.resume() }
    }
    defer { leave() }
    return try await body()
  }

  /// Passes the slot on to the read that has waited longest.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.first < state.waiting.count else {
        state.waiting = []
        state.first = 0
        state.free += 1
        return nil
      }
      let next = state.waiting[state.first]
      state.first += 1
      if state.first >= 1024 {
        state.waiting.removeFirst(state.first)
        state.first = 0
      }
      return next
    }
    next?.resume()
  }
}
