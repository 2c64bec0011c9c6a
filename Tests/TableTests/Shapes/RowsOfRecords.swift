import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import TableShapes

/// A sink that keeps written tables in memory.
final class RowSink: TableSink {
  private(set) var tables: [(name: String, rows: [[String]])] = []

  func begin(_ name: String, columns: [TableColumn], others: [String]) throws {
    tables.append((name, [columns.map(\.rawValue) + others]))
  }

  func write(_ row: borrowing TableRow) throws {
    var cells: [String] = []
    for cell in row.cells.indices { cells.append(String(decoding: row.text(cell), as: UTF8.self)) }
    tables[tables.count - 1].rows.append(cells)
  }

  func end() throws {}
}

/// Tables written from canonical lines.
struct WrittenTables {
  let sink = RowSink()
  let context: RunContext
  var tally = Tally()

  init(_ lines: [String], hasSheets: Bool = false, shape: String? = nil) throws {
    var reading = ReadingOptions()
    reading.table.shape = shape
    context = RunContext(reading: reading, now: Timestamp(milliseconds: 0))
    let writing = try TableRowWriter(context: context, hasSheets: hasSheets)
    let batch = RecordBatch(locator: NoPlaces(), capacity: 1 << 16)
    for line in lines {
      let start = batch.canonical.count
      batch.canonical.append(utf8: line)
      let kind = line.utf8.starts(with: "{\"kind\":\"item\"".utf8) ? RecordKind.item : .charter
      batch.appendSlot(kind, from: start)
    }
    try writing.add(batch, tally: &tally)
    try writing.write(to: sink)
  }

  var losses: [String: LossReason] {
    Dictionary(context.losses.kept.map { ($0.field, $0.reason) }) { first, _ in first }
  }
}

/// A locator for a source without places.
struct NoPlaces: RecordLocator {
  var file: String { "test" }
  func place(of record: Record, at pointer: JSONPointer) -> Place { Place(file: file) }
}

/// Returns a record as its canonical line.
func canonicalLine(_ json: String) throws -> String {
  var tape = JSONTape(capacity: 256)
  let bytes = Array(json.utf8)
  return try bytes.withUnsafeBufferPointer { text in
    let parse = try tape.parse(text.span)
    var out = ByteBuffer(capacity: 1024)
    guard let base = text.baseAddress else { return "" }
    var canonicalizer = Canonicalizer(mode: .bundle)
    let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { CanonicalUUID.zero }, into: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
