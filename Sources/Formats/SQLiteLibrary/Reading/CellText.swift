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
    /// Where a cell that should be JSON stops being it.
    let breakOffset: Int?
  }

  /// The line that was shown last: findings on one line share its text.
  private struct Line {
    let range: Range<Int>
    let text: String?
  }

  private struct State {
    var connection: SQLiteConnection?
    var cell: Cell?
    // What was found out about the cell; beside it, or every question would copy it.
    var counter = PlaceCounter()
    var index = ChildIndex()
    var line: Line?

    mutating func begin(_ cell: Cell?) {
      self.cell = cell
      counter = PlaceCounter()
      index = ChildIndex()
      line = nil
    }
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
      if state.cell?.row != row { state.begin(read(row, column, &state)) }
      guard let cell = state.cell else { return LocatedPlace(place) }
      return cell.bytes.withUnsafeBufferPointer { text in
        let span = Self.span(of: part, at: pointer, cell, text, &state.index)
        let start = state.counter.position(of: span.lowerBound, in: text)
        let end = state.counter.position(of: span.upperBound, in: text)
        place.line = start.line
        place.column = start.column
        if end.line == start.line, end.column > start.column { place.endColumn = end.column }
        let known = state.line.flatMap { $0.range.contains(span.lowerBound) ? $0 : nil }
        let line = known ?? Self.line(around: span.lowerBound, in: text)
        state.line = line
        return LocatedPlace(place, excerpt: line.text)
      }
    }
  }

  private static func span(
    of part: ValuePart, at pointer: JSONPointer, _ cell: Cell, _ text: UnsafeBufferPointer<UInt8>,
    _ index: inout ChildIndex
  ) -> Range<Int> {
    if let document = cell.document { return document.span(of: pointer, part: part, using: &index) }
    if let offset = cell.breakOffset, pointer.steps.isEmpty { return offset..<offset }
    guard case .text(let range) = part, pointer.steps.isEmpty else { return 0..<text.count }
    let from = min(range.lowerBound, text.count)
    return from..<min(max(from, range.upperBound), text.count)
  }

  private static func line(around offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Line {
    var first = min(offset, text.count)
    while first > 0, text[first - 1] != 0x0A { first -= 1 }
    var last = min(offset, text.count)
    while last < text.count, text[last] != 0x0A { last += 1 }
    // The line's end counts as a place on it.
    let range = first..<last + 1
    guard last - first <= longestExcerpt else { return Line(range: range, text: nil) }
    return Line(range: range, text: String(decoding: UnsafeBufferPointer(rebasing: text[first..<last]), as: UTF8.self))
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
    let map = TableMaps.all.first { $0.table == row.table }
    let holdsJSON = map?.columns.first { $0.column == column }?.holdsJSON
    if holdsJSON == false { return Cell(row: row, bytes: bytes, document: nil, breakOffset: nil) }
    do throws(JSONError) {
      return Cell(row: row, bytes: bytes, document: try JSONDocument(parsing: bytes), breakOffset: nil)
    } catch {
      return Cell(row: row, bytes: bytes, document: nil, breakOffset: holdsJSON == nil ? nil : error.offset)
    }
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
