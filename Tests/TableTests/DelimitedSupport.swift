import DelimitedText
import Foundation
import Interchange
import JSONText
import TestSupport

/// The content of a delimited text: rows of cells, and the rows that cannot be used.
struct ReadTable: Equatable {
  struct Problem: Equatable {
    let line: Int
    let cell: Int?
    /// Whether the row has a different number of cells than the header.
    var isRagged = false
    /// The numbers that the message names: counts, lines and limits.
    let numbers: [Int]
  }

  var rows: [[String]] = []
  var lines: [Int] = []
  var problems: [Problem] = []
  /// The unusable rows as they were typed.
  var originals: [String] = []

  /// Reads all rows of a source. When `isStrict` is true, each further row must have as many cells as the first one.
  init(_ source: DelimitedSource, isStrict: Bool = false) throws {
    let reader = source.rows()
    var row = TableRow()
    while true {
      do {
        guard try reader.next(into: &row) else { return }
        if isStrict, rows.isEmpty { reader.expect(cells: row.cells.count) }
        rows.append(row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self) })
        lines.append(row.number)
      } catch let problem as TableRowError {
        problems.append(
          Problem(line: row.number, cell: problem.cell, isRagged: problem.isRagged, numbers: problem.message.numbers))
        originals.append(
          String(decoding: source.original(row: (row.number, row.offset)), as: UTF8.self))
      }
    }
  }

  /// Reads a file that consists of these bytes.
  init(_ bytes: some Sequence<UInt8>, name: String = "table.csv", isStrict: Bool = false) throws {
    let scratch = Scratch()
    try self.init(scratch.source(bytes, name: name), isStrict: isStrict)
  }

  /// Reads a file that consists of this text.
  init(_ text: String, name: String = "table.csv", isStrict: Bool = false) throws {
    try self.init(Array(text.utf8), name: name, isStrict: isStrict)
  }
}

extension Scratch {
  /// Writes bytes to a file and opens it.
  func source(
    _ bytes: some Sequence<UInt8>, name: String = "table.csv", dialect: DelimitedDialect? = nil
  ) throws -> DelimitedSource {
    try Data(bytes).write(to: URL(fileURLWithPath: self[name]))
    return try DelimitedSource(Source(self[name]), dialect: dialect)
  }
}

/// Returns a table as delimited text.
func delimited(_ table: [[String]], _ dialect: DelimitedDialect, escapesFormulas: Bool = true) -> [UInt8] {
  var writer = DelimitedWriter(dialect, escapesFormulas: escapesFormulas)
  var out = ByteBuffer()
  for row in table {
    for cell in row { writer.append(cell, to: &out) }
    writer.endRow(&out)
  }
  return Array(out.bytes)
}
