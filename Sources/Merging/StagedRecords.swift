import Content
import Foundation
import Interchange
import JSONText

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
    /// The hash of what the library says when it is written, where somebody asks for it.
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
