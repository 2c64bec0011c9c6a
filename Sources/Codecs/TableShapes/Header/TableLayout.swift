/// What the columns of one table mean, and where its header stands.
package struct TableLayout: Sendable {
  /// What a row stands for.
  package var shape: TableShape
  /// The header's cells as they are written.
  package var headers: [String]
  /// Cells from 0 by their meaning.
  package var cells: [TableColumn: Int]
  /// Cells whose header means nothing to us.
  package var unknown: [Int]
  /// Cells whose meaning an earlier cell has already.
  package var doubled: [(cell: Int, column: TableColumn)]
  /// Cells that `--map` leaves out.
  package var leftOut: [Int]
  /// The cell that `--key` names; nil for none.
  package var key: Int?

  /// The cell of a column, -1 when there is none: a row answers nothing for it.
  package func cell(_ column: TableColumn) -> Int { cells[column] ?? -1 }

  /// Whether the table has a column.
  package func has(_ column: TableColumn) -> Bool { cells[column] != nil }

  /// What a cell's header says, for messages.
  package func header(_ cell: Int) -> String {
    headers.indices.contains(cell) ? CellText.shown(headers[cell]) : "column \(cell + 1)"
  }

  /// Whether FleetKit wrote the table, as its columns of ids say: then its texts are taken as they stand.
  package var isExact: Bool {
    func isOurs(_ column: TableColumn) -> Bool {
      cells[column].map { header($0).utf8.elementsEqual(column.rawValue.utf8) } ?? false
    }
    switch shape {
    case .steps: return isOurs(.itemID)
    case .cards: return isOurs(.cardID)
    // Anybody calls a column 'id'.
    case .catalogue: return isOurs(.id) && isOurs(.created) && isOurs(.updated)
    }
  }
}
