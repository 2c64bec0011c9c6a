import Publishing
import Synchronization

/// A pool of intakes: making one compiles schemas, and each can be used by only one thread at a time.
///
/// The pool makes as many intakes as are used at the same time, which is at most one per thread, because no work waits
/// while it uses one.
final class IntakePool: Sendable {
  private struct Idle: @unchecked Sendable {
    // Only one thread uses the intake at a time: an intake in use is not in the list.
    let intake: PublishIntake
  }

  private let idle = Mutex<[Idle]>([])
  private let kept = 16

  /// Lends an intake for the duration of `body`.
  func withIntake<Result>(_ body: (PublishIntake) throws -> Result) throws -> Result {
    let lent = try idle.withLock { $0.popLast() } ?? Idle(intake: PublishIntake())
    defer {
      idle.withLock { if $0.count < kept { $0.append(lent) } }
    }
    return try body(lent.intake)
  }
}
