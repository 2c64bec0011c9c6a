import Content
import Diagnostics
import Interchange
import JSONText

/// Processes the decisions of an import: counts them, reports and keeps rejects, fills the conflict page, and passes
/// each decision to the observer (a plan, a plan check or a proof).
final class DecisionStream {
  /// The outcomes of the records so far; empty while the pipeline has the tally.
  private(set) var tally = Tally()
  private var rejects: RejectsWriter?
  private let context: RunContext
  /// The receiver of the decisions.
  let observer: (any ImportObserver)?
  /// Shows the conflicts for people.
  let conflicts: ConflictPage
  /// The records that could be read but were rejected.
  private(set) var rejectedKnown = RejectedAfterParsing()
  /// The decision whose record is being rejected.
  private var pending: ImportDecision?
  /// How many records contain changes from both sides.
  private(set) var merged = 0
  /// How many published items were changed.
  private(set) var publishedChanged = 0
  /// How many records were restored as published.
  private(set) var publishedRestored = 0
  /// The files in which every record was already in the library.
  private(set) var files = KnownFiles()

  init(_ context: RunContext, _ observer: (any ImportObserver)?, _ conflicts: ConflictPage) {
    self.context = context
    self.observer = observer
    self.conflicts = conflicts
  }

  /// Counts into the pipeline's tally while `body` runs.
  func counting(into tally: inout Tally, _ rejects: RejectsWriter, _ body: () throws -> Void) throws {
    self.rejects = rejects
    swap(&self.tally, &tally)
    defer { swap(&self.tally, &tally) }
    try body()
  }

  // MARK: Unchanged records

  /// Counts a record that the library already has, unchanged.
  /// - Parameter id: the record's id in the library; nil if it is the source's id.
  func unchanged(_ incoming: SourceRecord, id: @autoclosure () -> String?) {
    tally[incoming.kind].unchanged += 1
    files.add(incoming.fileName, isChanged: false)
    tally.rows.unchanged += incoming.rows
    guard let observer else { return }
    let own = incoming.idText
    observer.stays(incoming.kind, id: id() ?? own, source: own)
  }

  /// Counts a record that an import never takes.
  func skipped(_ kind: RecordKind, _ reason: SkipReason) { tally[kind].skipped[reason, default: 0] += 1 }

  /// Counts a record for which the library's version is kept.
  func kept(
    _ incoming: SourceRecord, id: String? = nil, before: UnsafeBufferPointer<UInt8>? = nil, _ reason: SkipReason
  ) throws {
    if observer != nil {
      var decision = ImportDecision(.keep, incoming, id: id)
      decision.before = before
      decision.reason = .kept(reason)
      try send(decision)
    }
    skipped(incoming.kind, reason)
    tally.rows.skipped += incoming.rows
  }

  // MARK: Rejects

  /// Rejects a record because it is unknown which of its versions is right.
  /// - Parameter code: `mergeConflict` if the base is known, otherwise `importConflict`.
  func conflict(
    _ incoming: SourceRecord, _ code: DiagnosticCode, _ reason: ConflictReason, before: [UInt8]?,
    parts: [MergeConflict], _ library: JSONNode?
  ) throws {
    rejectedKnown.count(incoming)
    try reject(incoming, code, reason.text, before: before) { _ in .conflict(reason, code: code.id, parts: parts) }
    guard !parts.isEmpty, !context.dryRun else { return }
    try conflicts.add(MergedRecord(incoming, library), parts)
  }

  /// Rejects a record that cannot be used.
  /// - Parameter isKnown: whether the record could be read, so that the source certainly has it.
  func reject(_ incoming: SourceRecord, _ code: DiagnosticCode, _ message: String, isKnown: Bool = false) throws {
    if isKnown { rejectedKnown.count(incoming) }
    try reject(incoming, code, message, before: nil) { .rejected($0, rows: 0) }
  }

  private func reject(
    _ incoming: SourceRecord, _ code: DiagnosticCode, _ message: String, before: [UInt8]?,
    _ why: ([RejectReason]) -> DecisionReason
  ) throws {
    let place = incoming.place()
    files.add(incoming.fileName, isChanged: true)
    context.findings.report(
      Diagnostic(
        code, message, at: place, record: incoming.name, title: incoming.title,
        fix: code == .importConflict && incoming.coverage != nil ? Self.tableConflictAdvice : nil))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(message); nothing was imported") }
    tally[incoming.kind].rejected += 1
    tally.rows.rejected += incoming.rows
    let rows = incoming.originalRows()
    let record = RejectedRecord(
      kind: incoming.kind,
      bytes: rows?.bytes ?? Array(incoming.original.isEmpty ? incoming.line : incoming.original),
      place: place.description,
      reasons: [RejectReason(code: code.id, message: message, place: place.description)],
      rows: Int32(clamping: rows?.count ?? incoming.rows), table: rows?.table)
    guard observer != nil else {
      try rejects?.add(record)
      return
    }
    let reason = why(record.reasons)
    var action = ImportDecision.Action.reject
    if case .conflict = reason { action = .conflict }
    try (before ?? []).withUnsafeBufferPointer { line in
      var decision = ImportDecision(action, incoming, id: before == nil ? nil : RecordLine.id(of: line.span))
      decision.before = before == nil ? nil : line
      decision.reason = reason
      pending = decision
      defer { pending = nil }
      try rejects?.add(record)
    }
  }

  /// Receives every record, or some rows of a record, that goes to the rejects, including rejects of the reader.
  func receive(rejected record: RejectedRecord) throws {
    if let pending { return try send(pending) }
    guard observer != nil else { return }
    var decision = ImportDecision(.reject, record.kind)
    decision.place = record.reasons.first?.place ?? record.place
    decision.reason = .rejected(record.reasons, rows: record.isPart ? Int(record.rows) : 0)
    try send(decision)
  }

  private static let tableConflictAdvice =
    "export the library again and edit the new table, keeping its column 'updated'; or import with --on-conflict "
    + "replace to use the table, or with --on-conflict keep to use the library"

  // MARK: Changes

  /// Counts a change before it is staged.
  func countChange(isMerged: Bool, isPublished: Bool) {
    if isMerged { merged += 1 }
    if isPublished { publishedChanged += 1 }
  }

  /// Counts a record that is restored as published.
  func countRestored() { publishedRestored += 1 }

  /// Counts a record that was created or updated.
  /// - Parameters:
  ///   - delta: the outcomes of the record's rows.
  ///   - decision: makes the decision for the observer; called only if there is an observer.
  func changed(
    _ incoming: SourceRecord, isNew: Bool, _ delta: RowDelta, _ decision: () throws -> Void
  ) throws {
    delta.add(to: &tally.rows)
    files.add(incoming.fileName, isChanged: true)
    if isNew { tally[incoming.kind].created += 1 } else { tally[incoming.kind].updated += 1 }
    if observer != nil { try decision() }
  }

  /// Passes a decision to the observer.
  func send(_ decision: ImportDecision) throws { try observer?.receive(decision) }
}

/// The files of a source: files with only unchanged records, and files with something new.
package struct KnownFiles: Sendable {
  private var changed: Set<String> = []
  private var unchanged: Set<String> = []
  private var last: (file: String, isChanged: Bool)?

  mutating func add(_ file: String, isChanged: Bool) {
    if let last, last.isChanged == isChanged, last.file == file { return }
    last = (file, isChanged)
    if isChanged { changed.insert(file) } else { unchanged.insert(file) }
  }

  /// Whether the library has all records of a file unchanged.
  package func isKnown(_ file: String) -> Bool { unchanged.contains(file) && !changed.contains(file) }
}

/// Counts records that could be read but were rejected. The source certainly has these records.
struct RejectedAfterParsing {
  private var records: [RecordKind: Int] = [:]
  /// The number of these records' table rows.
  private(set) var rows = 0

  subscript(kind: RecordKind) -> Int { records[kind] ?? 0 }

  mutating func count(_ incoming: SourceRecord) {
    records[incoming.kind, default: 0] += 1
    rows += incoming.rows
  }
}
