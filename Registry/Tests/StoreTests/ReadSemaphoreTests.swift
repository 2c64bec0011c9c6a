import RegistryStore
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("The gate of long reads")
struct ReadGateTests {
  private struct Failed: Error {}

  private final class Inside: Sendable {
    private let state = Mutex((now: 0, most: 0))
    func enter() {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }
    func leave() { state.withLock { $0.now -= 1 } }
    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }
  }

  @Test("limits concurrent passes, and lets everybody pass in the end", arguments: [1, 3])
  func places(count: Int) async throws {
    let gate = ReadSemaphore(count)
    let inside = Inside()
    let done = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<2500 {
        group.addTask {
          do {
            try await gate.pass {
              inside.enter()
              await Task.yield()
              inside.leave()
              if index % 10 == 0 { throw Failed() }
            }
            return true
          } catch is Failed { return false }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(done == 2250)
    #expect(inside.now == 0 && inside.most > 0 && inside.most <= count)
  }
}
