import Publishing
import Synchronization

/// Intakes that are ready for use: making one compiles schemas, and each serves one thread.
///
/// As many are made as are used at the same time, which is at most one per thread, because no work waits while it uses
/// one.
final class IntakePool: Sendable {
  private struct Idle: @unchecked Sendable {
    // Used by one thread at a time: it is removed from the list while it works.
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
