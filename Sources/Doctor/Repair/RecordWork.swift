import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Records to be written when reading has ended. Their lines wait on disk.
final class RecordWork {
  private struct Entry {
    let kind: RecordKind
    let rows: [LibraryScan.Row]
    let keepsPayload: Bool
  }

  private let spool: LineSpool
  private var entries: [Entry] = []

  init() throws { spool = try LineSpool() }

  var count: Int { entries.count }

  /// Adds the new form of a record.
  func add(_ line: String, _ found: LibraryScan.Found, keepsPayload: Bool = false) throws {
    var line = line
    try line.withUTF8 { try spool.append($0) }
    entries.append(Entry(kind: found.kind, rows: found.rows, keepsPayload: keepsPayload))
  }

  /// Calls `body` once with each record, in the order in which the records were added.
  func forEach(
    _ body: (_ line: UnsafeBufferPointer<UInt8>, RecordKind, [LibraryScan.Row], _ keepsPayload: Bool) throws -> Void
  ) throws {
    try spool.rewind()
    for entry in entries {
      guard try spool.advance() else { return }
      try body(spool.line, entry.kind, entry.rows, entry.keepsPayload)
    }
  }
}
