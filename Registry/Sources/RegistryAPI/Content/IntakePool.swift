import Publishing
import Synchronization

/// Intakes that wait for work: making one compiles schemas, and one serves one thread.
///
/// As many are made as work at the same time, which is at most one per thread, for no work in between waits.
final class IntakePool: Sendable {
  private struct Idle: @unchecked Sendable {
    // Only ever in the hands of one thread: it leaves the list while it works.
    let intake: PublishIntake
  }

  private let idle = Mutex<[Idle]>([])
  private let kept = 16

  /// Lends an intake for as long as `body` runs.
  func withIntake<Result>(_ body: (PublishIntake) throws -> Result) throws -> Result {
    let lent = try idle.withLock { $0.popLast() } ?? Idle(intake: PublishIntake())
    defer {
      idle.withLock { if $0.count < kept { $0.append(lent) } }
    }
    return try body(lent.intake)
  }
}
