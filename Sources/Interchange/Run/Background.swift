import Foundation

/// Work on a thread of its own, and its result.
package final class Background<Value: Sendable>: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<Value, any Error>?

  /// Begins.
  package init(_ work: @escaping @Sendable () throws -> Value) {
    let thread = Thread { [self] in
      result = Result { try work() }
      done.signal()
    }
    thread.name = "fleetkit.background"
    thread.start()
  }

  /// Waits for the end.
  /// - Throws: what the work threw.
  package func wait() throws -> Value {
    done.wait()
    done.signal()  // the result may be asked for again
    guard let result else { throw RunFailure(.internalError, "a thread ended without a result") }
    return try result.get()
  }
}
