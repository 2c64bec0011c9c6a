import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteIO
import Synchronization

/// Finds the rows and columns that the values of records were read from.
package final class LibraryLocator: RecordLocator, RecordOrigin {
  package let file: String
  /// The library's path, which may differ from its name in messages.
  private let path: String
  /// Rereads cells to find lines and columns.
  private let cells: CellLocator

  /// The facts about the last requested record, cached so that a record with many findings is parsed only once.
  private struct Known {
    /// The record's batch. A weak reference is used instead of an address, because a later batch may be allocated at
    /// the same address.
    weak var batch: RecordBatch?
    let index: Int
    /// The row's id as stored.
    let id: String
    /// The table of an item's body; nil if the body is in the sidecar.
    let body: TableMap?
  }

  private let last = Mutex<Known?>(nil)
  private let id = Mutex<String??>(nil)

  /// The traits of the library as a source.
  var traits: SourceTraits { SourceTraits(libraryID: { [self] in libraryID }) }

  private var libraryID: String? {
    id.withLock { id in
      if let id { return id }
      let found = LibraryID.of(path)
      id = .some(found)
      return found
    }
  }

  init(file: String, path: String, cells: CellLocator) {
    self.file = file
    self.path = path
    self.cells = cells
  }

  /// Returns a locator for a library that is being changed.
  /// - Parameter file: the library's name in findings.
  package static func places(in path: String, called file: String) -> any RecordLocator {
    LibraryLocator(file: file, path: path, cells: CellLocator(open: { try? SQLiteConnection(path, .read, .foreign) }))
  }

  /// Returns the path of the bytes that an earlier import stored in the sidecar.
  package func mediaPath(of record: Record) -> String? {
    guard record.kind == .attachment, let hash = (try? record.document())?.root["sha256"]?.string else { return nil }
    return try? MediaStore.path(of: hash, beside: path)
  }

  package func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    let place = place(of: record, at: pointer)
    guard place.member == nil, let row = place.row, let inner = JSONPointer(place.pointer) else {
      return LocatedPlace(place)
    }
    return cells.locate(part, file: file, row: row, pointer: inner)
  }

  package func refine(_ place: Place) -> LocatedPlace {
    guard place.member == nil, let row = place.row, place.line == nil, let pointer = JSONPointer(place.pointer) else {
      return LocatedPlace(place)
    }
    return cells.locate(.value, file: place.file, row: row, pointer: pointer)
  }

  package func place(of record: Record, at pointer: JSONPointer) -> Place {
    let known = known(record)
    switch record.kind {
    case .charter: return place(TableMaps.charters, known.id, pointer)
    case .execution: return place(TableMaps.executions, known.id, pointer)
    case .syncOperation: return place(TableMaps.queue, known.id, pointer)
    case .item:
      guard let body = known.body else { return sidecarPlace(record, pointer) }
      if pointer.steps.first == .member("content_data") { return place(body, known.id, pointer.dropping(1)) }
      let isOfBody = Self.original(pointer).map { Self.column($0, in: TableMaps.content) == nil } ?? false
      return place(isOfBody ? body : TableMaps.content, known.id, pointer)
    default: return sidecarPlace(record, pointer)
    }
  }

  /// Returns the place of a column in a library row.
  private func place(_ map: TableMap, _ id: String, _ pointer: JSONPointer) -> Place {
    if let original = Self.original(pointer), let column = Self.column(original, in: map) {
      // The column itself holds the whole recovered value.
      return Place(file: file, row: Place.Row(table: map.table, id: id, column: column.column))
    }
    guard case .member(let name)? = pointer.steps.first else {
      return Place(file: file, row: Place.Row(table: map.table, id: id))
    }
    let column = map.column(ofMember: name)?.column ?? name
    return Place(
      file: file, row: Place.Row(table: map.table, id: id, column: column), pointer: pointer.dropping(1).description)
  }

  /// Returns the place of a record in the sidecar: decks and other records for which the app has no table.
  private func sidecarPlace(_ record: Record, _ pointer: JSONPointer) -> Place {
    Place(
      file: file, member: "state.sqlite", row: Place.Row(table: "records", id: record.id, column: "line"),
      pointer: pointer.description)
  }

  /// Returns the column that a pointer into `extras.raw` refers to.
  private static func original(_ pointer: JSONPointer) -> String? {
    guard pointer.steps.count > 2, pointer.steps.starts(with: [.member("extras"), .member("raw")]),
      case .member(let column) = pointer.steps[2]
    else { return nil }
    return column
  }

  /// Returns the column for a name under `extras.raw`. If both rows of an item have the column, the name of the body's
  /// column is prefixed with the body's table.
  private static func column(_ name: String, in map: TableMap) -> ColumnMap? {
    let own = map.table + "."
    let name = name.hasPrefix(own) ? String(name.dropFirst(own.count)) : name
    return map.columns.first { $0.column == name || $0.oldColumn == name }
  }

  private func known(_ record: Record) -> Known {
    last.withLock { last in
      if let last, last.batch === record.batch, last.index == record.index { return last }
      let known = Self.identify(record)
      last = known
      return known
    }
  }

  private static func identify(_ record: Record) -> Known {
    // Replaced ids are rare, and the only items that can be in the sidecar are decks.
    let (isGuide, needsLook) = record.withLine { line in
      (
        type(.practiceGuide, line.span),
        record.slot.mayHaveExtras && hasExtras(line.span) || type(.flashcardDeck, line.span)
      )
    }
    let body = isGuide ? TableMaps.practiceGuides : TableMaps.checklists
    guard needsLook, let root = (try? record.document())?.root else {
      return Known(batch: record.batch, index: record.index, id: record.id, body: body)
    }
    let raw = root.at(JSONPointer([.member("extras"), .member("raw"), .member("id")]))?.string
    // The app has no decks: their bodies are in the sidecar.
    let isBeside =
      root["content_type"]?.string == ContentType.flashcardDeck.rawValue && root["content_data"]?.kind == .object
    return Known(batch: record.batch, index: record.index, id: raw ?? record.id, body: isBeside ? nil : body)
  }

  /// Whether a canonical line is an item of the given type. In a canonical line, the type follows the id.
  private static func type(_ type: ContentType, _ line: Span<UInt8>) -> Bool {
    guard let id = RecordLine.idRange(of: line) else { return false }
    let sought = ",\"content_type\":\"\(type.rawValue)\""
    return line.extracting(droppingFirst: id.upperBound).extracting(first: sought.utf8.count).equals(sought.utf8.span)
  }

  /// Whether a line contains the member name `"extras"`. The search looks for the `x`, because in most text it is the
  /// rarest letter of the name.
  private static func hasExtras(_ line: Span<UInt8>) -> Bool {
    var from = 2
    while let found = line.firstIndex(of: UInt8(ascii: "x"), from: from) {
      if line.starts(with: "\"extras\"", at: found - 2) { return true }
      from = found + 1
    }
    return false
  }
}

/// Rereads cells of a library to find lines and columns in them. The library is opened only when a cell is needed.
final class CellLocator: @unchecked Sendable {
  /// The last requested cell.
  private struct Cell {
    let row: Place.Row
    let bytes: [UInt8]
    /// The cell as JSON; nil if it is not JSON.
    let document: JSONDocument?
    /// The offset at which a cell that should be JSON becomes invalid.
    let breakOffset: Int?
  }

  /// The last excerpt, which findings on the same line share.
  private struct Line {
    let range: Range<Int>
    let text: String?
  }

  private struct State {
    var connection: SQLiteConnection?
    var cell: Cell?
    // The counter for this cell. It is not part of `Cell`, because otherwise every request would copy it.
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

  /// Creates a locator for the library that `open` opens.
  init(open: @escaping @Sendable () -> SQLiteConnection?) { self.open = open }

  /// The length, in bytes, of the longest line that is shown as an excerpt.
  private static let longestExcerpt = 1 << 16

  /// Returns the place of a part of the value at `pointer` in the cell. The place has no line if the cell cannot be
  /// read.
  func locate(_ part: ValuePart, file: String, row: Place.Row, pointer: JSONPointer) -> LocatedPlace {
    var place = Place(file: file, row: row, pointer: pointer.description)
    guard let column = row.column else { return LocatedPlace(place) }
    return state.withLock { state in
      if state.cell?.row != row { state.begin(read(row, column, &state)) }
      guard let cell = state.cell else { return LocatedPlace(place) }
      let text = cell.bytes.span
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

  private static func span(
    of part: ValuePart, at pointer: JSONPointer, _ cell: Cell, _ text: Span<UInt8>,
    _ index: inout ChildIndex
  ) -> Range<Int> {
    if let document = cell.document { return document.span(of: pointer, part: part, using: &index) }
    if let offset = cell.breakOffset, pointer.steps.isEmpty { return offset..<offset }
    guard case .text(let range) = part, pointer.steps.isEmpty else { return 0..<text.count }
    let from = min(range.lowerBound, text.count)
    return from..<min(max(from, range.upperBound), text.count)
  }

  private static func line(around offset: Int, in text: Span<UInt8>) -> Line {
    var first = min(offset, text.count)
    while first > 0, text[first - 1] != 0x0A { first -= 1 }
    var last = min(offset, text.count)
    while last < text.count, text[last] != 0x0A { last += 1 }
    // A place at the end of the line is still on the line.
    let range = first..<last + 1
    guard last - first <= longestExcerpt else { return Line(range: range, text: nil) }
    return Line(range: range, text: String(decoding: text.extracting(first..<last)))
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
    // A title that happens to be JSON is still a title.
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
  fileprivate var holdsJSON: Bool {
    switch kind {
    case .tags, .sections, .itemStates, .publicMetadata, .payload: true
    default: false
    }
  }
}
