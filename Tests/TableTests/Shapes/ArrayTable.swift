import Content
import Diagnostics
import Interchange
import TableShapes

/// A table for tests: rows of cells, each row on its own line.
final class ArrayTable: TableRows {
  let rows: [[String]]
  private var at = 0

  init(_ rows: [[String]]) { self.rows = rows }

  /// Creates a table from lines whose cells are separated by bars.
  convenience init(_ text: String) {
    self.init(
      text.split(separator: "\n").map { line in
        line.split(separator: "|", omittingEmptySubsequences: false).map {
          var cell = Substring($0)
          while cell.first == " " { cell.removeFirst() }
          while cell.last == " " { cell.removeLast() }
          return String(cell).replacing("\\n", with: "\n")
        }
      })
  }

  func next(into row: inout TableRow) throws -> Bool {
    while at < rows.count, rows[at].allSatisfy(\.isEmpty) { at += 1 }
    guard at < rows.count else { return false }
    row.removeAll()
    at += 1
    row.number = at
    row.offset = at
    if rows[at - 1].first == "!broken" { throw TableRowError("a quote is never closed") }
    for cell in rows[at - 1] {
      let start = row.bytes.count
      row.bytes.append(utf8: cell)
      row.cells.append(TableRow.Cell(start: start, length: row.bytes.count - start))
    }
    return true
  }

  func rewind() throws { at = 0 }

  var progress: (done: Int, total: Int?) { (at, rows.count) }
}

/// The places in such a table: the line is the row, and the column is the cell.
struct ArrayPlaces: TablePlaces {
  let file: String
  let rows: [[String]]

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    let column = (cell ?? 0) * 100 + 1 + (part?.lowerBound ?? 0)
    return LocatedPlace(Place(file: file, line: row.number, column: column))
  }

  func original(row: (number: Int, offset: Int)) -> [UInt8] {
    Array(rows[row.number - 1].joined(separator: "|").utf8)
  }

  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? {
    let cells = rows[row.number - 1]
    return cells.indices.contains(cell) ? Array(cells[cell].utf8) : []
  }
}

/// The result of reading several tables.
struct ReadTables {
  var batches: [RecordBatch] = []
  var context: RunContext

  var records: [Record] { batches.flatMap(\.records) }
  var rejected: [RejectedRecord] { batches.flatMap(\.rejected) }
  var lines: [String] { records.map(\.json) }
  var codes: [String] { context.findings.kept.map(\.code.name) }

  /// Reads several tables to the end.
  init(
    _ tables: [(sheet: String?, rows: [[String]])], path: String = "steps.csv", markdown: (any MemberFormat)? = nil,
    _ options: (inout TableOptions) -> Void = { _ in }
  ) throws {
    var reading = ReadingOptions()
    options(&reading.table)
    context = RunContext(reading: reading, now: Timestamp(milliseconds: 0))
    let origin = TableOrigin(source: "test", folder: "/test", path: path, format: "csv")
    let sources = tables.map { table in
      SourceTable(
        sheet: table.sheet, rows: ArrayTable(table.rows), places: ArrayPlaces(file: path, rows: table.rows),
        rejects: RejectTable(fileExtension: "csv", header: [], lineEnd: [0x0A], origin: origin.json))
    }
    let reader = TableReader(sources, origin: origin, markdown: markdown, context: context)
    while let batch = try reader.next() { batches.append(batch) }
  }

  /// Reads one table.
  init(
    _ rows: [[String]], path: String = "steps.csv", _ options: (inout TableOptions) -> Void = { _ in }
  ) throws {
    try self.init([(nil, rows)], path: path, options)
  }

  /// Reads one table whose cells are separated by bars.
  init(_ text: String, path: String = "steps.csv", _ options: (inout TableOptions) -> Void = { _ in }) throws {
    try self.init(ArrayTable(text).rows, path: path, options)
  }

  /// The checklists or decks in a short notation: `Title: Section[step(req,5)…]`.
  var outline: [String] {
    get throws {
      try records.map { record in
        let document = try record.document().root
        let body = document["content_data"]
        let title = document["title"]?.string ?? "?"
        if let cards = body?["cards"] {
          return "\(title): "
            + cards.elements.map { "\($0["front"]?.string ?? "")=\($0["back"]?.string ?? "")" }
            .joined(separator: ", ")
        }
        let sections = body?["sections"]?.elements ?? []
        return "\(title): "
          + sections.map { section in
            let steps = section["items"]?.elements.map { $0["title"]?.string ?? "" } ?? []
            return "\(section["title"]?.string ?? "")[\(steps.joined(separator: ", "))]"
          }.joined(separator: " ")
      }
    }
  }
}
