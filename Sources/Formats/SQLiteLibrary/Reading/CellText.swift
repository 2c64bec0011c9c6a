import Content
import Diagnostics
import JSONText
import SQLiteIO
import Synchronization

/// Reads cells of a library again to find lines and columns in them; opens the library only when it is asked.
final class CellText: @unchecked Sendable {
  /// The cell that was asked for last.
  private struct Cell {
    let row: Place.Row
    let bytes: [UInt8]
    /// The cell as JSON; nil when it is none.
    let document: JSONDocument?
    var finder = SpanFinder()
    var counter = PlaceCounter()
  }

  private struct State {
    var connection: SQLiteConnection?
    var cell: Cell?
  }

  private let state = Mutex(State())
  private let open: @Sendable () -> SQLiteConnection?

  /// Makes the cells of a library that `open` opens.
  init(open: @escaping @Sendable () -> SQLiteConnection?) { self.open = open }

  /// The longest line that is shown around a place, in bytes.
  private static let longestExcerpt = 1 << 16

  /// The place of a part of the value at `pointer` in the cell; without a line when the cell cannot be read.
  func locate(_ part: ValuePart, file: String, row: Place.Row, pointer: JSONPointer) -> LocatedPlace {
    var place = Place(file: file, row: row, pointer: pointer.description)
    guard let column = row.column else { return LocatedPlace(place) }
    return state.withLock { state in
      if state.cell?.row != row { state.cell = read(row, column, &state) }
      guard let cell = state.cell else { return LocatedPlace(place) }
      return cell.bytes.withUnsafeBufferPointer { text in
        let span =
          cell.document.flatMap { state.cell?.finder.span(of: pointer, part: part, in: $0) }
          ?? Self.span(of: part, at: pointer, text)
        let start = state.cell?.counter.position(of: span.lowerBound, in: text) ?? TextPosition(line: 1, column: 1)
        let end = state.cell?.counter.position(of: span.upperBound, in: text) ?? start
        place.line = start.line
        place.column = start.column
        if end.line == start.line { place.endColumn = end.column }
        return LocatedPlace(place, excerpt: Self.line(around: span.lowerBound, in: text))
      }
    }
  }

  private static func span(
    of part: ValuePart, at pointer: JSONPointer, _ text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    guard case .text(let range) = part, pointer.steps.isEmpty else { return 0..<text.count }
    let from = min(range.lowerBound, text.count)
    return from..<min(max(from, range.upperBound), text.count)
  }

  private static func line(around offset: Int, in text: UnsafeBufferPointer<UInt8>) -> String? {
    // A cell may be one line of many megabytes: no more of it is looked at than could be shown.
    let middle = min(offset, text.count)
    var first = middle
    while first > 0, text[first - 1] != 0x0A, middle - first <= longestExcerpt { first -= 1 }
    var last = middle
    while last < text.count, text[last] != 0x0A, last - first <= longestExcerpt { last += 1 }
    guard last - first <= longestExcerpt else { return nil }
    return String(decoding: UnsafeBufferPointer(rebasing: text[first..<last]), as: UTF8.self)
  }

  private func read(_ row: Place.Row, _ column: String, _ state: inout State) -> Cell? {
    if state.connection == nil { state.connection = open() }
    guard let connection = state.connection else { return nil }
    func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
    guard
      let statement = try? connection.prepare(
        "SELECT \(quoted(column)) FROM \(quoted(row.table)) WHERE id = ? LIMIT 1")
    else { return nil }
    statement.bind(row.id, at: 1)
    guard (try? statement.step()) == true else { return nil }
    let storage = statement.storage(at: 0)
    guard storage == .text || storage == .blob else { return nil }
    let bytes = Array(storage == .text ? statement.bytes(at: 0) : statement.blob(at: 0))
    // A title that happens to be JSON is a title.
    let holdsJSON = TableMaps.all.first { $0.table == row.table }?.columns.first { $0.column == column }?.holdsJSON
    return Cell(
      row: row, bytes: bytes, document: holdsJSON ?? true ? try? JSONDocument(parsing: bytes) : nil)
  }
}

extension ColumnMap {
  /// Whether the column's text is JSON.
  var holdsJSON: Bool {
    switch kind {
    case .tags, .sections, .itemStates, .publicMetadata, .payload: true
    default: false
    }
  }
}
