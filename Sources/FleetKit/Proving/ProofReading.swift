import FleetKitCore
import Interchange

/// How the two sides of a proof are read: as the run read its sources, and without saying anything a second time.
struct ProofReading {
  private let reading: ReadingOptions
  private let now: Timestamp
  private let leavesOut: @Sendable (String) -> Bool

  init(of context: RunContext) {
    var reading = context.reading
    reading.explains = false
    reading.collectsIDs = false
    self.reading = reading
    now = context.now
    leavesOut = context.leavesOut
  }

  /// The context in which the source is read again.
  func ofSource() -> RunContext { RunContext(reading: reading, leavesOut: leavesOut, now: now) }

  /// The context in which an import is rehearsed.
  func ofRehearsal() -> RunContext { RunContext(dryRun: true, reading: reading, leavesOut: leavesOut, now: now) }

  /// The context in which the target is read: what its own files say is all there is.
  func ofTarget() -> RunContext {
    var own = ReadingOptions()
    own.table.shape = reading.table.shape
    own.table.delimiter = reading.table.writtenDelimiter
    return RunContext(reading: own, now: now)
  }
}
