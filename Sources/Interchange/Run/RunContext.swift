import Content
import Diagnostics
import Synchronization

/// What a run shares between its reader and its writer: findings, losses, rejects and options.
public final class RunContext: Sendable {
  /// What to do with a record that cannot be used.
  public enum OnInvalid: String, Sendable, CaseIterable {
    /// Put it into the rejects file and go on.
    case reject
    /// Stop; nothing is written.
    case stop
  }

  /// When there are too many rejected records to go on.
  public enum ErrorLimit: Sendable, Equatable {
    case none
    case count(Int)
    /// Percent of the records read.
    case percent(Double)
  }

  /// What was found.
  public let findings: DiagnosticLog
  /// What the target cannot hold.
  public let losses = LossLog()
  /// What to do with records that cannot be used.
  public let onInvalid: OnInvalid
  /// When to give up.
  public let errorLimit: ErrorLimit
  /// Whether a loss forbids writing.
  public let noLoss: Bool
  /// Whether everything is done but the last step: nothing gets its name.
  public let dryRun: Bool
  /// How notes are read.
  public let reading: ReadingOptions
  /// Why notes were taken for what they were taken; filled when `reading.explains`.
  public let explanations = ExplanationLog()
  /// Notes that say no id; filled when `reading.collectsIDs`.
  public let noteIDs = NoteIDLog()
  /// Whether a file inside a source of many files is left out; asked with the name that findings give it.
  public let leavesOut: @Sendable (String) -> Bool
  /// What lives as long as the run: files of a source that a writer may come back to.
  private let kept = Mutex<[any Sendable & AnyObject]>([])
  /// The time that stands in for times that a source does not give and a target demands.
  public let now: Timestamp

  /// Makes the context of one run.
  public init(
    findings: DiagnosticLog = DiagnosticLog(), onInvalid: OnInvalid = .reject, errorLimit: ErrorLimit = .none,
    noLoss: Bool = false, dryRun: Bool = false, reading: ReadingOptions = ReadingOptions(),
    leavesOut: @escaping @Sendable (String) -> Bool = { _ in false }, now: Timestamp
  ) {
    self.findings = findings
    self.onInvalid = onInvalid
    self.errorLimit = errorLimit
    self.noLoss = noLoss
    self.dryRun = dryRun
    self.reading = reading
    self.leavesOut = leavesOut
    self.now = now
  }

  /// Keeps something until the run is over.
  public func keep(_ object: any Sendable & AnyObject) { kept.withLock { $0.append(object) } }
}
