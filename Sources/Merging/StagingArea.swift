import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// The fifth stage: keeps records on disk until they can be decided or written, so that their order in the source does
/// not matter.
///
/// This is the only owner of waiting records. Changes wait until the end of their file; executions and unmatched
/// records wait until the end of their source.
final class StagingArea {
  private let folder: String?
  private var changes: [RecordKind: StagedRecords] = [:]
  private var executions: StagedRecords
  private var unmatched: StagedRecords

  /// Makes an empty area.
  /// - Parameter folder: the folder for files without a name; nil for the temporary folder.
  init(in folder: String?) {
    self.folder = folder
    executions = StagedRecords(in: folder)
    unmatched = StagedRecords(in: folder)
  }

  // MARK: Changes

  /// Keeps the version of a record that the library will hold.
  /// - Parameters:
  ///   - before: the hash of the library's replaced record; nil for a new record.
  ///   - after: the hash of what the library will return, if it is already known and needed.
  func add(
    change line: UnsafeBufferPointer<UInt8>, of incoming: SourceRecord, before: String?, after: String?, rows: RowDelta
  ) throws {
    let list = changes[incoming.kind] ?? StagedRecords(in: folder)
    changes[incoming.kind] = list
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: before,
      original: incoming.original, line: line, rows: rows, after: after)
  }

  /// Calls `body` with the changes of a kind in the order in which they were decided, and removes them.
  func drain(changes kind: RecordKind, _ body: (SourceRecord, StagedRecords.Entry) throws -> Void) throws {
    let scratch = ScratchLine(capacity: 0, tokens: 1024)
    defer { withExtendedLifetime(scratch) {} }
    try changes[kind]?.drain { entry in
      try entry.original.withUnsafeBufferPointer { original in
        var incoming = SourceRecord(
          kind: kind, node: try scratch.parse(entry.line), line: entry.line, original: original, file: entry.file,
          origin: .staged(Place(file: entry.place)))
        incoming.rows = entry.rows.rows
        try body(incoming, entry)
      }
    }
  }

  // MARK: Records that wait for the end of their source

  /// Keeps an execution, which is decided when all charters and checklists of its source have been imported.
  func add(execution incoming: SourceRecord) throws { try add(incoming, to: executions) }

  /// Keeps a record that the library does not have under its id.
  func add(unmatched incoming: SourceRecord) throws { try add(incoming, to: unmatched) }

  private func add(_ incoming: SourceRecord, to list: StagedRecords) throws {
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: nil,
      original: incoming.original, line: incoming.line, rows: RowDelta(new: incoming.rows),
      isPartial: incoming.extent != .whole, coverage: incoming.coverage?.number)
  }

  /// Calls `body` with the executions and removes them.
  func drainExecutions(_ body: (SourceRecord) throws -> Void) throws {
    let waiting = executions
    executions = StagedRecords(in: folder)
    try waiting.drain { entry in
      try ScratchLine.reading(entry.line) { node in
        try entry.original.withUnsafeBufferPointer { original in
          try body(
            SourceRecord(
              kind: .execution, node: node, line: entry.line, original: original, file: entry.file,
              origin: .staged(Place(file: entry.place))))
        }
      }
    }
  }

  /// Removes the unmatched records and returns them. The caller drains them.
  func removeUnmatched() -> StagedRecords {
    let waiting = unmatched
    unmatched = StagedRecords(in: folder)
    return waiting
  }
}

/// Records that an import has read but not yet written, on disk without a name.
final class StagedRecords {
  /// One staged record.
  struct Entry {
    let kind: RecordKind
    /// The record's place in the source.
    let place: String
    /// The number of the record's file in the ledger.
    let file: Int64
    /// The hash of the library's replaced record; nil for a new record.
    let before: String?
    /// The hash of the library's record after writing, if needed.
    let after: String?
    /// The record's bytes in its source.
    let original: [UInt8]
    /// The outcomes of the record's rows, if the record is written.
    let rows: RowDelta
    /// Whether the record has only some of its steps. An extent of `some` has lost its anchors.
    let isPartial: Bool
    /// The number of the list of members that the record's source can express; nil for all members.
    let coverage: Int?
    /// The line, which is valid until the next entry.
    let line: UnsafeBufferPointer<UInt8>
  }

  private let folder: String?
  private var spool: LineSpool?

  /// Makes an empty list in a folder; nil for the temporary folder.
  init(in folder: String?) { self.folder = folder }

  var isEmpty: Bool { spool == nil }

  /// Adds a record. Its original may be left empty if the record can no longer be rejected.
  func add(
    _ kind: RecordKind, place: String, file: Int64, before: String?, original: UnsafeBufferPointer<UInt8>,
    line: UnsafeBufferPointer<UInt8>, rows: RowDelta = RowDelta(), isPartial: Bool = false, coverage: Int? = nil,
    after: String? = nil
  ) throws {
    if spool == nil { spool = try folder.map { try LineSpool(in: $0) } ?? LineSpool() }
    var head = ByteBuffer(capacity: 256)
    head.append("[")
    if let before { head.appendJSONString(before) } else { head.append("null") }
    head.append(",")
    head.appendJSONString(kind.name)
    head.append(",")
    head.appendJSONString(place)
    head.append(",")
    head.appendJSONString(original.span)
    head.append(",")
    head.append(utf8: String(file))
    for number in rows.numbers + [isPartial ? 1 : 0, coverage ?? -1] {
      head.append(",")
      head.append(utf8: String(number))
    }
    head.append(",")
    if let after { head.appendJSONString(after) } else { head.append("null") }
    head.append("]")
    try spool?.append(head.bytes.span)
    try spool?.append(line.span)
  }

  /// Calls `body` with all records and removes them.
  func drain(_ body: (Entry) throws -> Void) throws {
    guard let spool else { return }
    self.spool = nil
    try spool.rewind()
    while try spool.advance() {
      try Interruption.check()
      guard let head = (try? JSONDocument(parsing: spool.line.span))?.root.elements, head.count == 8 + RowDelta.count
      else {
        throw RunFailure(.internalError, "a staged record cannot be read back", advice: "Please report this.")
      }
      guard try spool.advance() else { return }
      try body(
        Entry(
          kind: RecordKind(head[1].string ?? ""), place: head[2].string ?? "", file: head[4].integer ?? 0,
          before: head[0].string, after: head[7 + RowDelta.count].string,
          original: Array((head[3].string ?? "").utf8),
          rows: RowDelta(head[5..<5 + RowDelta.count].map { Int($0.integer ?? 0) }),
          isPartial: head[5 + RowDelta.count].integer == 1,
          coverage: head[6 + RowDelta.count].integer.flatMap { $0 < 0 ? nil : Int($0) }, line: spool.line))
    }
  }
}

/// The outcomes of the rows of one record.
struct RowDelta: Equatable {
  /// The number of rows.
  var rows = 0
  var created = 0
  var updated = 0
  /// The numbers of removed steps, and of steps that have a different position afterwards. Removed steps are not among
  /// the rows; moved steps are.
  var removed = 0
  var moved = 0

  /// The number of counts in `numbers`.
  static let count = 5

  var numbers: [Int] { [rows, created, updated, removed, moved] }

  init() {}

  /// Makes outcomes from the value of `numbers`.
  init(_ numbers: [Int]) {
    guard numbers.count == Self.count else { return }
    (rows, created, updated, removed, moved) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  /// Makes the outcomes of a new record.
  init(new rows: Int) {
    self.rows = rows
    created = rows
  }

  /// Makes the outcomes of a changed record.
  /// - Parameters:
  ///   - changes: the changes inside the record.
  ///   - isSteps: whether each row is a step or card; otherwise the record is one row.
  init(_ rows: Int, _ changes: StepChanges, isSteps: Bool) {
    self.rows = rows
    guard isSteps, !changes.isEmpty || rows > 1 else {
      updated = rows
      return
    }
    created = min(rows, changes.added.count)
    updated = min(rows - created, changes.changed.count)
    removed = changes.removed.count
    moved = changes.moved.count
  }

  /// Counts the rows of a record that was written.
  func add(to tally: inout RowTally) {
    tally.created += created
    tally.updated += updated
    tally.unchanged += rows - created - updated
    tally.removed += removed
    tally.moved += moved
  }
}
