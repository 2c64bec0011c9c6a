import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// The fifth stage: keeps records on disk until they can be decided, or written, so that the order in which a source
/// lists them does not matter.
///
/// The one owner of what waits: changes until the end of their file, executions and records that were not found until the
/// end of their source.
final class StagingArea {
  private let folder: String?
  private var changes: [RecordKind: StagedRecords] = [:]
  private var executions: StagedRecords
  private var unmatched: StagedRecords

  /// Makes an empty area.
  /// - Parameter folder: where files without a name are made; nil for the folder for temporary files.
  init(in folder: String?) {
    self.folder = folder
    executions = StagedRecords(in: folder)
    unmatched = StagedRecords(in: folder)
  }

  // MARK: Changes

  /// Keeps what the library will hold of a record.
  /// - Parameters:
  ///   - before: the hash of the library's record that it goes over; nil for a new one.
  ///   - after: the hash of what the library will give out, where it is known already and asked for.
  func add(
    change line: UnsafeBufferPointer<UInt8>, of incoming: Incoming, before: String?, after: String?, rows: RowDelta
  ) throws {
    let list = changes[incoming.kind] ?? StagedRecords(in: folder)
    changes[incoming.kind] = list
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: before,
      original: incoming.original, line: line, rows: rows, after: after)
  }

  /// Gives out the changes of a kind in the order in which they were decided, and forgets them.
  func drain(changes kind: RecordKind, _ body: (Incoming, StagedRecords.Entry) throws -> Void) throws {
    let scratch = ScratchLine(capacity: 0, tokens: 1024)
    defer { withExtendedLifetime(scratch) {} }
    try changes[kind]?.drain { entry in
      try entry.original.withUnsafeBufferPointer { original in
        var incoming = Incoming(
          kind: kind, node: try scratch.parse(entry.line), line: entry.line, original: original, file: entry.file,
          origin: .staged(Place(file: entry.place)))
        incoming.rows = entry.rows.rows
        try body(incoming, entry)
      }
    }
  }

  // MARK: What waits for the end of its source

  /// Keeps an execution: it is decided when all charters and checklists of its source are in.
  func add(execution incoming: Incoming) throws { try add(incoming, to: executions) }

  /// Keeps a record that the library does not have under its id.
  func add(unmatched incoming: Incoming) throws { try add(incoming, to: unmatched) }

  private func add(_ incoming: Incoming, to list: StagedRecords) throws {
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: nil,
      original: incoming.original, line: incoming.line, rows: RowDelta(new: incoming.rows),
      isPartial: incoming.extent != .whole, said: incoming.said?.number)
  }

  /// Gives out the executions and forgets them.
  func drainExecutions(_ body: (Incoming) throws -> Void) throws {
    let waiting = executions
    executions = StagedRecords(in: folder)
    try waiting.drain { entry in
      try ScratchLine.reading(entry.line) { node in
        try entry.original.withUnsafeBufferPointer { original in
          try body(
            Incoming(
              kind: .execution, node: node, line: entry.line, original: original, file: entry.file,
              origin: .staged(Place(file: entry.place))))
        }
      }
    }
  }

  /// The records that were not found, which the caller drains.
  func takeUnmatched() -> StagedRecords {
    let waiting = unmatched
    unmatched = StagedRecords(in: folder)
    return waiting
  }
}

/// Records that an import has looked at and not written yet, on disk without a name.
final class StagedRecords {
  /// One of them.
  struct Entry {
    let kind: RecordKind
    /// Where it stands in the source.
    let place: String
    /// The ledger's number of the file that it stands in.
    let file: Int64
    /// The hash of the library's record that it goes over; nil for a new one.
    let before: String?
    /// The hash of what the library has when it is written, where that is asked for.
    let after: String?
    /// The record as the source wrote it.
    let original: [UInt8]
    /// What becomes of its rows if it is written.
    let rows: RowDelta
    /// How many of its steps it says; `some` has lost where they belong.
    let isPartial: Bool
    /// Which of the writer's lists of members that a source can say is its own; nil for all members.
    let said: Int?
    /// Valid until the next entry.
    let line: UnsafeBufferPointer<UInt8>
  }

  private let folder: String?
  private var spool: LineSpool?

  /// Makes an empty list in a folder; nil for the folder for temporary files.
  init(in folder: String?) { self.folder = folder }

  var isEmpty: Bool { spool == nil }

  /// Adds a record; its original may be left empty when nothing can reject it any more.
  func add(
    _ kind: RecordKind, place: String, file: Int64, before: String?, original: UnsafeBufferPointer<UInt8>,
    line: UnsafeBufferPointer<UInt8>, rows: RowDelta = RowDelta(), isPartial: Bool = false, said: Int? = nil,
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
    head.appendJSONString(original)
    head.append(",")
    head.append(utf8: String(file))
    for number in rows.numbers + [isPartial ? 1 : 0, said ?? -1] {
      head.append(",")
      head.append(utf8: String(number))
    }
    head.append(",")
    if let after { head.appendJSONString(after) } else { head.append("null") }
    head.append("]")
    try spool?.append(head.bytes)
    try spool?.append(line)
  }

  /// Gives out all records and forgets them.
  func drain(_ body: (Entry) throws -> Void) throws {
    guard let spool else { return }
    self.spool = nil
    try spool.rewind()
    while try spool.advance() {
      try Interruption.check()
      guard let head = (try? JSONDocument(parsing: spool.line))?.root.elements, head.count == 8 + RowDelta.count else {
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
          said: head[6 + RowDelta.count].integer.flatMap { $0 < 0 ? nil : Int($0) }, line: spool.line))
    }
  }
}

/// What becomes of the rows of one record.
struct RowDelta: Equatable {
  /// How many there are.
  var rows = 0
  var created = 0
  var updated = 0
  /// Steps that go, and those that stand elsewhere afterwards; not among the rows, and among those above.
  var removed = 0
  var moved = 0

  /// How many numbers it is.
  static let count = 5

  var numbers: [Int] { [rows, created, updated, removed, moved] }

  init() {}

  /// Reads what `numbers` were.
  init(_ numbers: [Int]) {
    guard numbers.count == Self.count else { return }
    (rows, created, updated, removed, moved) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  /// Rows of a record that is new.
  init(new rows: Int) {
    self.rows = rows
    created = rows
  }

  /// Rows of a record that changes.
  /// - Parameters:
  ///   - changes: what changes inside it.
  ///   - isSteps: whether each row is a step or card; else the record is one row.
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

  /// Counts rows of a record that was written.
  func add(to tally: inout RowTally) {
    tally.created += created
    tally.updated += updated
    tally.unchanged += rows - created - updated
    tally.removed += removed
    tally.moved += moved
  }
}
