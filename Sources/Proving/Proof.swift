import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Reads back what a run wrote and compares it with the source, record by record and value by value.
///
/// Both sides are read by fresh readers and sorted on disk, so memory does not grow with their size. This costs about
/// one more reading of both sides. A difference is explained by a loss that the run listed, by a record that the run
/// rejected, or by a declared property of the target's format (`ProofRules`). Every other difference is reported, with
/// its places on both sides.
///
/// ```swift
/// let proof = Proof(source: try SourceList(["a.sqlite"]), target: try SourceList(["a.jsonl"]))
/// let result = try proof.run(losses: losses, context: RunContext(now: now))
/// ```
public struct Proof: Sendable {
  /// The source that was read.
  public var source: SourceList
  /// The target that was written.
  public var target: SourceList
  /// The selection of the source's records; nil for all.
  public var selection: Selection?
  /// Whether the target may have records that the source does not have, because the target is a vault that existed
  /// before.
  public var allowsOthers = false
  /// The path of the target before it has its final name, and the target's name in findings.
  public var naming: (path: String, name: String)?
  /// The maximum number of differences that are kept with their places. All other differences are only counted.
  public static let kept = 100

  /// Prepares a proof.
  public init(source: SourceList, target: SourceList) {
    self.source = source
    self.target = target
  }

  /// The result of a proof.
  public struct Result: Sendable {
    /// The counts of the proof.
    public let summary: ProofSummary
    /// The first unexplained differences, with their places.
    public let differences: [Diagnostic]
  }

  /// Compares the two sides.
  /// - Parameters:
  ///   - losses: all losses that the run listed; nil for none.
  ///   - context: the options that the run read its sources with, and the run's time.
  /// - Throws: `RunFailure` if a side cannot be read, or if the source has changed since the run read it.
  public func run(losses: LossArchive?, context: RunContext) throws -> Result {
    let stamps = Self.stamps(of: source)
    let wasRead = ProofContext(of: context)
    let first = try SortedRecords(source, selection: selection, context: wasRead.ofSource())
    let second = try SortedRecords(target, selection: nil, context: wasRead.ofTarget())
    let walk = ProofWalk(
      losses: try ProofLosses(losses), rules: ProofRules(target: target, now: context.now),
      allowsOthers: allowsOthers, isSelection: selection != nil,
      unnamed: ContentMatcher(
        isAll: target.entries.first.map { !$0.format.descriptor.keeps.contains(.ids) } ?? false))
    walk.summary.losses = losses?.count ?? 0
    try walk.run(first, second)
    walk.summary.differences += second.unreadable
    var found: [Diagnostic] = []
    if !walk.summary.holds {
      guard Self.stamps(of: source) == stamps else {
        throw RunFailure(
          .mismatch, "prove what was written: the source changed while it was being read again",
          advice: "Try again while no other program writes to it.")
      }
      found = try ProofPlaces(walk.differences, source: source, target: target, reading: wasRead, naming: naming)
        .findings()
      if second.unreadable > 0 {
        found.append(
          Diagnostic(
            .unprovedUnreadable,
            "\(Plural.count(second.unreadable, "record")) in the target cannot be read back",
            at: Place(file: naming?.name ?? target.entries.first?.root ?? "")))
      }
    }
    return Result(summary: walk.summary, differences: found)
  }

  private static func stamps(of list: SourceList) -> [FileStamp?] {
    list.entries.flatMap { [FileStamp($0.source.path), FileStamp($0.source.path + "-wal")] }
  }
}

/// The error if the target differs from the source.
public struct ProofFailure: Error, Sendable {
  /// The counts of the proof.
  public let summary: ProofSummary
  /// The first differences, with their places.
  public let differences: [Diagnostic]
  /// How the run ends, with status 5 and a message about what happened to the target.
  public let failure: RunFailure

  /// Makes the failure of a proof.
  package init(summary: ProofSummary, differences: [Diagnostic], failure: RunFailure) {
    self.summary = summary
    self.differences = differences
    self.failure = failure
  }
}

/// The options for reading the two sides of a proof: the run's own options, without repeating its explanations.
package struct ProofContext {
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

  /// Returns the context for reading the source again.
  package func ofSource() -> RunContext { RunContext(reading: reading, leavesOut: leavesOut, now: now) }

  /// Returns the context for rehearsing an import.
  package func ofRehearsal() -> RunContext {
    RunContext(dryRun: true, reading: reading, leavesOut: leavesOut, now: now)
  }

  /// Returns the context for reading the target, which must be readable without the run's options.
  package func ofTarget() -> RunContext {
    var own = ReadingOptions()
    own.table.shape = reading.table.shape
    own.table.delimiter = reading.table.writtenDelimiter
    return RunContext(reading: own, now: now)
  }
}

/// Finds the places of differences on both sides by reading both sides once more. Only a failed proof needs this.
package struct ProofPlaces {
  private let differences: [ProofDifference]
  private let source: SourceList
  private let target: SourceList
  private let reading: ProofContext
  private let naming: (path: String, name: String)?

  package init(
    _ differences: [ProofDifference], source: SourceList, target: SourceList, reading: ProofContext,
    naming: (path: String, name: String)?
  ) {
    self.naming = naming
    self.differences = differences
    self.source = source
    self.target = target
    self.reading = reading
  }

  /// Returns the differences as findings, in the order in which they were found.
  package func findings() throws -> [Diagnostic] {
    let here = try places(in: source, \.sourceID, reading.ofSource())
    let there = try places(in: target, \.targetID, reading.ofTarget())
    return differences.indices.map { finding(differences[$0], here[$0], there[$0].map(named)) }
  }

  /// Returns a place in the target, under the target's final name.
  private func named(_ place: Place) -> Place {
    guard let naming, place.file.utf8.starts(with: naming.path.utf8) else { return place }
    var place = place
    place.file = naming.name + String(decoding: place.file.utf8.dropFirst(naming.path.utf8.count), as: UTF8.self)
    return place
  }

  private var targetName: String { naming?.name ?? target.entries.first?.root ?? "the target" }

  private func places(
    in list: SourceList, _ id: KeyPath<ProofDifference, String?>, _ context: RunContext
  ) throws -> [Int: Place] {
    var wanted: [RecordSortKey: [Int]] = [:]
    for (index, difference) in differences.enumerated() {
      if let id = difference[keyPath: id] { wanted[RecordSortKey(difference.kind, id), default: []].append(index) }
    }
    guard !wanted.isEmpty else { return [:] }
    var found: [Int: Place] = [:]
    try RecordScan(sources: list).run(context: context) { record in
      for index in wanted[RecordSortKey(record.kind, record.id)] ?? [] where found[index] == nil {
        let difference = differences[index]
        let isThere = id == \.sourceID ? difference.source != nil : difference.target != nil
        // If a value is missing, it has no place. The place of the value that would contain it is used instead.
        var path = difference.path
        if !isThere, !path.steps.isEmpty { path.steps.removeLast() }
        found[index] = record.place(at: path)
      }
    }
    return found
  }

  private func finding(_ difference: ProofDifference, _ here: Place?, _ there: Place?) -> Diagnostic {
    let id = difference.sourceID ?? difference.targetID ?? ""
    let record = "\(difference.kind.name) \(id)"
    let nowhere = Place(file: source.entries.first?.root ?? "")
    let target = there?.description ?? targetName
    guard difference.sourceID != nil else {
      return Diagnostic(
        .unprovedRecord, "\(target) has \(record), which the source does not have", at: there ?? nowhere,
        record: record, title: difference.title)
    }
    guard difference.targetID != nil else {
      return Diagnostic(
        .unprovedRecord, "\(record) is not in \(targetName)",
        at: here ?? nowhere, record: record, title: difference.title)
    }
    return Diagnostic(
      .unprovedValue,
      (difference.path.steps.isEmpty ? "" : "\(difference.path): ")
        + "\(difference.speaker) \(Self.short(difference.source)), \(target) has "
        + Self.short(difference.target), at: here ?? there ?? nowhere, record: record, title: difference.title)
  }

  /// Returns a value, shortened to fit on a line.
  private static func short(_ value: String?) -> String {
    guard let value else { return "nothing" }
    guard value.unicodeScalars.count > 120 else { return value }
    return String(String.UnicodeScalarView(value.unicodeScalars.prefix(120))) + "…"
  }
}

/// An unexplained difference.
package struct ProofDifference {
  package let kind: RecordKind
  /// The record's id on the source's side; nil if the source does not have the record.
  package let sourceID: String?
  /// The record's id on the target's side; nil if the target does not have the record.
  package let targetID: String?
  package let title: String
  /// The path in the record; empty for the whole record.
  package let path: JSONPointer
  /// The source's value as JSON; nil if missing.
  package let source: String?
  /// The value that was read back, as JSON; nil if missing.
  package let target: String?
  /// The words that introduce `source` in a message.
  package let speaker: String

  /// Makes a difference between two records, or for a record that one side does not have.
  package init(
    kind: RecordKind, sourceID: String?, targetID: String?, title: String, path: JSONPointer, source: String?,
    target: String?, speaker: String = "the source has"
  ) {
    self.kind = kind
    self.sourceID = sourceID
    self.targetID = targetID
    self.title = title
    self.path = path
    self.source = source
    self.target = target
    self.speaker = speaker
  }
}
