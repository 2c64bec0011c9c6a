import FleetKit

/// What the runs of a sync that keeps watching came to.
struct SyncTotals {
  /// Runs that did something or had something to say.
  private(set) var rounds = 0
  /// Operations that were done.
  private(set) var sent = 0
  /// Operations that were given up.
  private(set) var failed = 0
  /// Operations that left the queue because later ones say the same or take them back.
  private(set) var cancelled = 0
  /// Operations that waited after the last run.
  private(set) var waiting = 0

  /// Adds a run.
  mutating func add(_ report: SyncReport) {
    rounds += 1
    sent += report.sentCount
    failed += report.failed
    cancelled += report.cancelled
    waiting = report.liveAfter
  }
}
