import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Reads back what a run wrote and holds it against its source, record by record and value by value.
///
/// Both sides are read by fresh readers and sorted on disk, so memory does not grow with them; it costs about one more
/// reading of both. A difference is explained by a loss that the run listed, by a record that it rejected, or by what
/// the target's format says of itself (`ProofRules`). Anything else is a difference, with its places on both sides.
///
/// ```swift
/// let proof = Proof(source: try SourceList(["a.sqlite"]), target: try SourceList(["a.jsonl"]))
/// let result = try proof.run(losses: losses, context: RunContext(now: now))
/// ```
public struct Proof: Sendable {
  /// What was read.
  public var source: SourceList
  /// What was written.
  public var target: SourceList
  /// Which records of the source were taken; nil for all.
  public var selection: Selection?
  /// Whether the target may have records of its own: it is a vault that was there before.
  public var allowsOthers = false
  /// Where the target is, and what findings call that: it has no name yet.
  public var naming: (path: String, name: String)?
  /// How many differences are kept with their places; the others are counted.
  public static let kept = 100

  /// Plans a proof.
  public init(source: SourceList, target: SourceList) {
    self.source = source
    self.target = target
  }

  /// What a proof came to.
  public struct Result: Sendable {
    /// The numbers.
    public let summary: ProofSummary
    /// The first differences that nothing explains, with their places.
    public let differences: [Diagnostic]
  }

  /// Compares.
  /// - Parameters:
  ///   - losses: everything that the run listed; nil for nothing.
  ///   - context: says how the run read its sources, and what time it was.
  /// - Throws: `RunFailure` when a side cannot be read, or when the source is another one than the run read.
  public func run(losses: KeptLosses?, context: RunContext) throws -> Result {
    let stamps = Self.stamps(of: source)
    let wasRead = ProofReading(of: context)
    let first = try SortedRecords(source, selection: selection, context: wasRead.ofSource())
    let second = try SortedRecords(target, selection: nil, context: wasRead.ofTarget())
    let walk = ProofWalk(
      losses: try ProofLosses(losses), rules: ProofRules(target: target, now: context.now),
      allowsOthers: allowsOthers, isSelection: selection != nil,
      unnamed: UnnamedRecords(
        isAll: target.entries.first.map { !$0.format.descriptor.keeps.contains(.ids) } ?? false))
    walk.summary.losses = losses?.count ?? 0
    try walk.run(first, second)
    walk.summary.differences += second.unreadable
    var found: [Diagnostic] = []
    if !walk.summary.holds {
      guard Self.stamps(of: source) == stamps else {
        throw RunFailure(
          .mismatch, "prove what was written: the source changed while it was read again",
          advice: "Try again while no other program writes to it.")
      }
      found = try ProofPlaces(walk.differences, source: source, target: target, reading: wasRead, naming: naming)
        .findings()
      if second.unreadable > 0 {
        found.append(
          Diagnostic(
            .unprovedUnreadable,
            "\(Plural.count(second.unreadable, "record")) of what was written cannot be read back",
            at: Place(file: naming?.name ?? target.entries.first?.root ?? "")))
      }
    }
    return Result(summary: walk.summary, differences: found)
  }

  private static func stamps(of list: SourceList) -> [FileStamp?] {
    list.entries.flatMap { [FileStamp($0.source.path), FileStamp($0.source.path + "-wal")] }
  }
}

/// What was written does not say what the source says.
public struct ProofFailure: Error, Sendable {
  /// The numbers.
  public let summary: ProofSummary
  /// The first differences, with their places.
  public let differences: [Diagnostic]
  /// How the run ends, with status 5, and what became of the target.
  public let failure: RunFailure

  /// A proof that did not hold.
  package init(summary: ProofSummary, differences: [Diagnostic], failure: RunFailure) {
    self.summary = summary
    self.differences = differences
    self.failure = failure
  }
}

/// How the two sides of a proof are read: as the run read its sources, and without saying anything a second time.
package struct ProofReading {
  private let reading: ReadingOptions
  private let now: Timestamp
  private let leavesOut: @Sendable (String) -> Bool

  package init(of context: RunContext) {
    var reading = context.reading
    reading.explains = false
    reading.collectsIDs = false
    self.reading = reading
    now = context.now
    leavesOut = context.leavesOut
  }

  /// The context in which the source is read again.
  package func ofSource() -> RunContext { RunContext(reading: reading, leavesOut: leavesOut, now: now) }

  /// The context in which an import is rehearsed.
  package func ofRehearsal() -> RunContext {
    RunContext(dryRun: true, reading: reading, leavesOut: leavesOut, now: now)
  }

  /// The context in which the target is read: what its own files say is all there is.
  package func ofTarget() -> RunContext {
    var own = ReadingOptions()
    own.table.shape = reading.table.shape
    own.table.delimiter = reading.table.writtenDelimiter
    return RunContext(reading: own, now: now)
  }
}
