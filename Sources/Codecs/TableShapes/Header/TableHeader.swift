import Interchange

/// The header of a table: the first of ten rows that says what its columns are.
struct TableHeader {
  /// How many rows stand above it.
  let index: Int
  /// Its row.
  let row: (number: Int, offset: Int)
  /// What it means.
  let layout: TableLayout

  /// What a look at the first rows of a table found.
  struct Search {
    /// The header; nil when there is none.
    var found: TableHeader?
    /// The first row, which would be it.
    var first: (cells: [String], row: (number: Int, offset: Int))?

    /// The headers that `--map` and `--key` may name.
    var seen: [String] { found?.layout.headers ?? first?.cells ?? [] }
  }

  /// How many rows are looked at.
  private static let most = 10

  /// Looks for the header.
  /// - Throws: `RunFailure` when the source cannot be read.
  static func find(in rows: any TableRows, _ match: HeaderMatch) throws -> Search {
    var search = Search()
    var row = TableRow()
    rows.expect(cells: nil)
    try rows.rewind()
    for index in 0..<most {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        continue
      }
      let cells = row.cells.indices.map { cell in
        String(decoding: CellText.trimmed(row.text(cell)), as: UTF8.self)
      }
      let place = (row.number, row.offset)
      if search.first == nil { search.first = (cells, place) }
      if let layout = match.layout(cells) {
        search.found = TableHeader(index: index, row: place, layout: layout)
        break
      }
    }
    return search
  }
}
