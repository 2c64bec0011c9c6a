import Interchange
import TableShapes

/// Writes each table as a sheet of a workbook.
final class WorkbookSink: TableSink {
  private let writer: WorkbookWriter
  private var isNumber: [Bool] = []

  init(_ writer: WorkbookWriter) { self.writer = writer }

  func begin(_ name: String, columns: [TableColumn], others: [String]) throws {
    isNumber = columns.map { $0 == .minutes }
    try writer.begin(
      WorkbookWriter.Sheet(
        name: name, header: columns.map(\.rawValue) + others,
        widths: columns.map(Self.width) + others.map { _ in 20 }))
  }

  func write(_ row: borrowing TableRow) throws {
    for cell in row.cells.indices {
      if cell < isNumber.count, isNumber[cell] {
        try writer.append(number: row.text(cell))
      } else {
        try writer.append(row.text(cell))
      }
    }
    try writer.endRow()
  }

  func end() throws {}

  /// Returns the width of a column in digits. It is wide enough for reading, but not wider than a screen.
  private static func width(_ column: TableColumn) -> Int {
    switch column {
    case .checklist, .section, .deck, .boat, .location: 24
    case .item, .front, .back, .title, .charter: 44
    case .details, .description, .checklistDescription, .deckDescription, .hint: 48
    case .document: 80
    case .tags, .checklistTags, .deckTags: 20
    case .created, .updated, .start, .end, .forkedFromID, .originalAuthorUserID, .originalContentPublicID: 26
    case .checklistID, .sectionID, .itemID, .deckID, .cardID, .charterID, .id: 14
    case .required, .optional, .minutes, .language, .type, .forkCount: 12
    case .originalAuthorUsername: 20
    }
  }
}
