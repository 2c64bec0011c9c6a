import Diagnostics
import Interchange
import JSONText

/// The header of a table: the first row that names columns, among the first ten rows.
struct TableHeader {
  /// The number of rows above the header; -1 if every row is data.
  let index: Int
  /// The row of the header, or the first row if every row is data.
  let row: (number: Int, offset: Int)
  /// The meaning of the columns.
  let layout: TableLayout
  /// The title above the header; nil if the table has no title.
  var title: String?
  /// The cells of the first row if the columns are sections; nil for other tables.
  var sections: [String]?

  /// The result of searching the first rows of a table.
  struct Search {
    /// The header; nil if it was not found.
    var found: TableHeader?
    /// The first row, which is reported if no header is found.
    var first: (cells: [String], row: (number: Int, offset: Int))?
    /// The rows above the header, which are not read.
    var above: [(number: Int, offset: Int)] = []

    /// The headers that `--map` and `--key` may name.
    var seen: [String] { found?.layout.headers ?? first?.cells ?? [] }
  }

  /// The number of rows to search.
  private static let most = 10

  /// Searches for the header, which is the first row that may be one. A candidate with a single cell is dropped if the
  /// row below it is a header.
  /// - Throws: `RunFailure` if the source cannot be read.
  static func find(in rows: any TableRows, _ match: HeaderMatch, isSheet: Bool) throws -> Search {
    var search = Search()
    var row = TableRow()
    var titles: [String] = []
    var rowsAbove: [(number: Int, offset: Int)] = []
    rows.expect(cells: nil)
    try rows.rewind()
    if match.isHeaderless { return try headerless(rows, match, isSheet: isSheet) }
    for index in 0..<most {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        continue
      }
      let cells = row.trimmedTexts
      let place = (row.number, row.offset)
      if search.first == nil { search.first = (cells, place) }
      let filled = cells.filter { !$0.isEmpty }
      let layout = match.header(cells, isFirst: titles.isEmpty)
      // A row with just 'Tasks' is a title if the header is below it.
      if search.found != nil, layout == nil || filled.count < 2 { return search }
      if let layout {
        search.above = rowsAbove
        let title = Self.title(above: layout, titles.first, &search.above)
        search.found = TableHeader(index: index, row: place, layout: layout, title: title)
        if filled.count > 1 || !titles.isEmpty { return search }
      }
      rowsAbove.append(place)
      titles.append(filled.count == 1 ? filled[0] : "")
    }
    return search
  }

  /// Returns the title of the only list in a table, if the first row above the header has exactly one filled cell.
  /// - Parameter above: the rows above the header, from which the title's row is removed.
  private static func title(
    above layout: TableLayout, _ text: String?, _ above: inout [(number: Int, offset: Int)]
  ) -> String? {
    let isOneList = layout.shape == .steps ? !layout.has(.checklist) : layout.shape == .cards && !layout.has(.deck)
    guard isOneList, let text, !text.isEmpty, text.utf8.count <= 300 else { return nil }
    above.removeFirst()
    return text
  }

  /// Creates the result for a table without a header, whose columns have numbers.
  private static func headerless(_ rows: any TableRows, _ match: HeaderMatch, isSheet: Bool) throws -> Search {
    var search = Search()
    var row = TableRow()
    var width = 0
    while true {
      do {
        guard try rows.next(into: &row) else { break }
      } catch is TableRowError {
        continue
      }
      if search.first == nil { search.first = (row.trimmedTexts, (row.number, row.offset)) }
      width = max(width, row.cells.count)
      // In a text file, every row has all cells. In a sheet, a row has only the filled cells.
      if !isSheet { break }
      try Interruption.check()
    }
    guard let first = search.first else { return search }
    let layout = try match.headerless(columns: width)
    search.found = TableHeader(index: -1, row: first.row, layout: layout)
    return search
  }
}

/// Determines the meaning of a table's columns: first by `--map`, then by the names that FleetKit writes, then by
/// similar words.
package struct HeaderMatch: Sendable {
  private let shape: TableShape?
  private let map: [Mapped]
  private let key: String?
  /// Whether every row is data, so that columns are identified by number.
  let isHeaderless: Bool
  /// Whether the first row names sections.
  private let isMatrix: Bool

  /// An entry of `--map`.
  private struct Mapped: Sendable {
    let header: String
    /// The name of the column; empty if the column is left out.
    let name: String
    let folded: String

    init(header: String, name: String) {
      self.header = header
      self.name = name
      folded = HeaderFold.fold(header)
    }
  }

  /// Reads the header options that the user specified.
  /// - Throws: `RunFailure` with status 64 for an unknown column or shape.
  package init(_ options: TableOptions) throws {
    shape = try Self.shape(named: options.shape)
    isHeaderless = options.noHeader
    isMatrix = options.matrix
    map = try options.map.map { header, name in
      guard name.isEmpty || HeaderVocabulary.column(named: name) != nil else {
        throw RunFailure(
          .usage, "unknown column '\(name)' in --map '\(header)=\(name)'",
          advice: "The columns are: \(TableColumn.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return Mapped(header: header, name: name)
    }
    key = options.key.map(HeaderFold.fold)
  }

  /// Returns the shape with a name, or nil if there is no name.
  /// - Throws: `RunFailure` with status 64 for an unknown shape.
  static func shape(named name: String?) throws -> TableShape? {
    guard let name else { return nil }
    if let shape = TableShape(rawValue: name.lowercased()) { return shape }
    throw RunFailure(
      .usage, "unknown shape '\(name)'",
      advice: "The shapes are: \(TableShape.allCases.map(\.rawValue).joined(separator: ", ")).")
  }

  /// Returns the meaning of one of the first rows as a header, or nil if the row is not a header.
  ///
  /// A row with a single cell can be a header only if it is the first row. Further down, it may be any step.
  func header(_ cells: [String], isFirst: Bool) -> TableLayout? {
    if isHeaderless || isMatrix { return nil }
    if !isFirst, cells.count(where: { !$0.isEmpty }) < 2, !cells.contains(where: isOurs) { return nil }
    return layout(cells)
  }

  /// Returns whether a header is one that FleetKit writes or that `--map` names.
  private func isOurs(_ header: String) -> Bool {
    TableColumn(rawValue: HeaderFold.fold(header)) != nil || map.contains { $0.folded == HeaderFold.fold(header) }
  }

  /// Returns the header row that a reader would find: the number of rows above it, its place and its cells. Returns nil
  /// if no row is a header.
  package func headerRow(
    of rows: any TableRows
  ) throws -> (index: Int, row: (number: Int, offset: Int), cells: [String])? {
    if isHeaderless { return nil }
    return try TableHeader.find(in: rows, self, isSheet: false).found.map { ($0.index, $0.row, $0.layout.headers) }
  }

  /// Returns the meaning of the columns in a table without a header.
  /// - Throws: `RunFailure` with status 64 if `--map` does not define the meaning.
  func headerless(columns: Int) throws -> TableLayout {
    let names = (0..<max(1, columns)).map { String($0 + 1) }
    var match = self
    if columns == 1, map.isEmpty {
      match = HeaderMatch(self, map: [Mapped(header: "1", name: TableColumn.item.rawValue)])
    }
    if var layout = match.layout(names) {
      layout.isHeaderless = true
      layout.determineKeptColumns()
      return layout
    }
    throw RunFailure(
      .usage, "--no-header: the meaning of the \(columns) columns is unknown",
      advice: "Define the columns by number, for example --map 1=section --map 2=item.")
  }

  private init(_ other: HeaderMatch, map: [Mapped]) {
    shape = other.shape
    self.map = map
    key = other.key
    isHeaderless = other.isHeaderless
    isMatrix = other.isMatrix
  }

  /// Returns the meaning of a row as a header, or nil if the row is not a header.
  package func layout(_ headers: [String]) -> TableLayout? {
    let shapes = shape.map { [$0] } ?? TableShape.allCases
    let found = shapes.map { layout(headers, as: $0) }.filter(isWhole)
    // If shapes score equally, the first one wins, because most tables contain steps.
    return found.max { score($0) < score($1) || (score($0) == score($1) && rank($0) > rank($1)) }
  }

  private func rank(_ layout: TableLayout) -> Int { TableShape.allCases.firstIndex(of: layout.shape) ?? 0 }

  /// Returns whether a layout has all columns that its shape requires.
  private func isWhole(_ layout: TableLayout) -> Bool {
    switch layout.shape {
    case .steps: layout.has(.item)
    case .cards: layout.has(.front) && layout.has(.back)
    // Titles without documents may be anything. `--shape catalogue` declares that they are items to be changed.
    case .catalogue: layout.has(.title) && (layout.has(.document) || shape == .catalogue)
    case .charters: layout.has(.charter) && layout.has(.start) && layout.has(.end)
    }
  }

  /// Returns how much of the header a shape explains. Columns that only steps have count more.
  private func score(_ layout: TableLayout) -> Int {
    let telling: Set<TableColumn> = [
      .checklist, .section, .required, .optional, .front, .back, .document, .start, .end,
    ]
    return layout.cells.keys.reduce(0) { $0 + (telling.contains($1) ? 3 : 1) }
  }

  private func layout(_ headers: [String], as shape: TableShape) -> TableLayout {
    var layout = TableLayout(
      shape: shape, headers: headers, cells: [:], unknown: [], doubled: [], leftOut: [], key: nil)
    var folded = headers.map(HeaderFold.fold)
    var open = Set(headers.indices.filter { !folded[$0].isEmpty })
    if let key { layout.key = folded.firstIndex(of: key) }
    for entry in map {
      let column = HeaderVocabulary.column(named: entry.name, in: shape)
      for cell in headers.indices where open.contains(cell) && folded[cell] == entry.folded {
        if let column, layout.cells[column] == nil {
          layout.cells[column] = cell
          open.remove(cell)
        } else if entry.name.isEmpty {
          layout.leftOut.append(cell)
          open.remove(cell)
        }
      }
    }
    // 'Time (h)' means the same as 'Time'.
    if shape == .steps {
      for cell in open where HeaderVocabulary.entry(folded[cell], in: shape) == nil {
        guard let base = MinuteUnit.base(ofHeader: headers[cell]).map(HeaderFold.fold),
          HeaderVocabulary.entry(base, in: shape)?.columns == [.minutes]
        else { continue }
        folded[cell] = base
      }
    }
    func assign(_ cell: Int, _ columns: [TableColumn]) {
      guard let column = columns.first(where: { layout.cells[$0] == nil }) else { return }
      layout.cells[column] = cell
      open.remove(cell)
    }
    for column in HeaderVocabulary.allColumns(of: shape) where layout.cells[column] == nil {
      let name = HeaderFold.fold(column.rawValue)
      if let cell = headers.indices.first(where: { open.contains($0) && folded[$0] == name }) { assign(cell, [column]) }
    }
    for isStrong in [true, false] {
      for cell in headers.indices where open.contains(cell) {
        if let entry = HeaderVocabulary.entry(folded[cell], in: shape), entry.isStrong == isStrong {
          assign(cell, entry.columns)
        }
      }
    }
    for cell in open.sorted() where cell != layout.key {
      if let column = HeaderVocabulary.entry(folded[cell], in: shape)?.columns.first {
        layout.doubled.append((cell, column))
      } else {
        layout.unknown.append(cell)
      }
    }
    layout.determineKeptColumns()
    return layout
  }

  /// Checks that each column that `--map` names can occur in a table with one of these headers, because an option must
  /// not be ignored.
  /// - Throws: `RunFailure` with status 64 that lists the possible columns.
  package func check(_ layouts: [TableLayout]) throws {
    for entry in map where !entry.name.isEmpty {
      let tables = layouts.filter { $0.headers.contains { HeaderFold.fold($0) == entry.folded } }
      guard let table = tables.first, !tables.contains(where: { applies(entry, to: $0) }) else { continue }
      let option = "--map '\(entry.header)=\(entry.name)'"
      guard let column = HeaderVocabulary.column(named: entry.name, in: table.shape) else {
        let names = HeaderVocabulary.allColumns(of: table.shape).map(\.rawValue).joined(separator: ", ")
        throw RunFailure(
          .usage, "\(option): a table of \(table.shape.rawValue) has no column '\(entry.name)'",
          advice: "Possible columns: \(names)." + Self.hint(entry.name, table.shape))
      }
      let other = table.cells[column].map(table.header) ?? ""
      throw RunFailure(
        .usage, "\(option): '\(other)' is already \(column.rawValue)", advice: "Map one header to each column.")
    }
  }

  /// Returns whether a table can have the column that an entry of `--map` names.
  private func applies(_ entry: Mapped, to table: TableLayout) -> Bool {
    guard let column = HeaderVocabulary.column(named: entry.name, in: table.shape), let cell = table.cells[column],
      table.headers.indices.contains(cell)
    else { return false }
    return HeaderFold.fold(table.headers[cell]) == entry.folded
  }

  /// Returns an explanation of two similar columns if one word may mean either of them.
  private static func hint(_ name: String, _ shape: TableShape) -> String {
    guard HeaderFold.fold(name) == HeaderFold.fold(TableColumn.description.rawValue) else { return "" }
    return switch shape {
    case .steps: " A step's description is 'details'; a checklist's is 'checklist_description'."
    case .cards: " A deck's description is 'deck_description'."
    case .catalogue, .charters: ""
    }
  }

  /// Returns the names in `--map` and `--key` that match none of the headers.
  package func unused(in headers: [[String]]) -> (map: [Int], key: Bool) {
    let all = Set(headers.joined().map(HeaderFold.fold))
    return (map.indices.filter { !all.contains(map[$0].folded) }, key.map { !all.contains($0) } ?? false)
  }
}

/// Reports how the headers of a source's tables were interpreted and what problems they have.
struct HeaderReport {
  let tables: [SourceTable]
  let findings: DiagnosticLog

  init(_ tables: [SourceTable], findings: DiagnosticLog) {
    self.tables = tables
    self.findings = findings
  }

  /// Checks that the headers that `--map` and `--key` name exist, because a misspelled header would change the result.
  /// - Throws: `RunFailure` with status 64.
  func check(_ options: TableOptions, _ unused: (map: [Int], key: Bool)) throws {
    let isNumber = unused.map.first.map { options.map[$0].header.utf8.allSatisfy { $0 &- 0x30 < 10 } } ?? false
    let seen =
      options.noHeader
      ? "Without a header, numbers name columns: 1 is the first."
      : "The header must be in one of the first ten rows."
        + (isNumber ? " A number names a column only in a table without a header; add --no-header." : "")
    if let index = unused.map.first, options.map.indices.contains(index) {
      let entry = options.map[index]
      let option = entry.column.isEmpty ? "that --map leaves out" : "of --map '\(entry.header)=\(entry.column)'"
      throw RunFailure(.usage, "no table has the header '\(entry.header)' \(option)", advice: seen)
    }
    if unused.key, let key = options.key {
      throw RunFailure(.usage, "no table has the header '\(key)' of --key", advice: seen)
    }
  }

  /// Reports every header.
  /// - Parameter shape: the requested shape; nil if it is detected.
  /// - Throws: `RunFailure` if no table has a header.
  func report(_ searches: [TableHeader.Search], _ match: HeaderMatch, shape: TableShape? = nil) throws {
    let hasAny = searches.contains { $0.found != nil }
    for (table, search) in zip(tables, searches) {
      if let header = search.found {
        for row in search.above {
          let found = table.places.place(row: row, cell: nil, part: nil)
          findings.report(
            Diagnostic(
              .rowAboveHeader, "this row is above the header and was left out", at: found.place, excerpt: found.excerpt)
          )
        }
        report(header, table)
      } else if hasAny, let first = search.first {
        let place = table.places.place(row: first.row, cell: nil, part: nil)
        findings.report(
          Diagnostic(
            .sheetLeftOut, "the sheet '\(table.sheet ?? "")' has no header that FleetKit recognizes", at: place.place,
            excerpt: place.excerpt))
      }
    }
    if hasAny { return }
    guard let (table, first) = zip(tables, searches).first(where: { $1.first != nil }).map({ ($0, $1.first) }),
      let first
    else {
      guard let table = tables.first else { return }
      throw RunFailure(
        .noTableHeader, "the table is empty", at: Place(file: table.places.file, line: 1, column: 1),
        advice: "Add a header and rows.")
    }
    let place = table.places.place(row: first.row, cell: nil, part: nil).place
    let names = first.cells.filter { !$0.isEmpty }.prefix(12).map { "'\(CellScanner.shown($0))'" }.joined(
      separator: ", ")
    throw RunFailure(
      .failed,
      Diagnostic(
        .noTableHeader, "no header was found in the first rows; the first row has \(names)", at: place,
        fix: isUncut(first.cells, table)
          ? "specify the character between the cells with --delimiter" : fix(first.cells, shape)))
  }

  /// Returns whether a row of a text file is a single cell that looks like several.
  private func isUncut(_ cells: [String], _ table: SourceTable) -> Bool {
    guard table.sheet == nil, cells.count == 1 else { return false }
    return [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")].contains { sign in
      cells[0].utf8.count { $0 == sign } > 1
    }
  }

  /// Returns the advice for a first row that is not a header, or not a header of the requested shape.
  ///
  /// The first row may be data. Using it as a header would lose a step, so the advice never quotes text from the table.
  private func fix(_ cells: [String], _ shape: TableShape?) -> String {
    let columns = HeaderVocabulary.needed(by: shape ?? .steps).map(\.rawValue)
    var filled = cells.indices.filter { !cells[$0].isEmpty }.map { $0 + 1 }
    // A column of amounts does not contain titles. Of the other columns, the last one is the most likely to contain
    // them, because sections come before steps.
    let texts = filled.filter { !TotalRow.isAmount(cells[$0 - 1]) }
    if !texts.isEmpty { filled = texts }
    let numbers = columns.count > 1 ? Array(filled.prefix(columns.count)) : Array(filled.suffix(1))
    let numbered = zip(columns, numbers).map { "--map \($1)=\($0)" }.joined(separator: " ")
    let example =
      "--no-header \(numbered) if the first row is data, or --map 'HEADER=\(columns[0])' with one of its headers"
    guard let shape else {
      return "define the columns: \(example)"
        + (cells.count > 1 ? "; if each column is a section with steps below, add --matrix" : "")
    }
    let needed = HeaderVocabulary.needed(by: shape).map { "'\($0.rawValue)'" }
    let others = HeaderVocabulary.columns(of: shape).map { "'\($0.rawValue)'" }.filter { !needed.contains($0) }
    return "a table of \(shape.rawValue) needs \(needed.count == 1 ? "the header" : "the headers") "
      + needed.joined(separator: " and ") + ", and may have \(others.joined(separator: ", ")); "
      + "or define the columns: \(example)"
  }

  /// Reports that a table has no rows below its header.
  func reportEmpty(_ table: SourceTable, _ header: TableHeader) {
    let place =
      table.sheet == nil
      ? Place(file: table.places.file) : table.places.place(row: header.row, cell: nil, part: nil).place
    findings.report(Diagnostic(.tableWithoutRows, "the table has a header but no rows", at: place))
  }

  /// The number of columns that are reported with their exact place. Finding each place reads the header up to the
  /// column, so finding the places of all columns would take quadratic time. Further columns get the place of the
  /// header.
  private static let located = 256

  private func report(_ header: TableHeader, _ table: SourceTable) {
    let layout = header.layout
    func place(_ cell: Int?) -> (Place, String?) {
      let found = table.places.place(row: header.row, cell: cell, part: nil)
      return (found.place, found.excerpt)
    }
    let taken = layout.cells.sorted { $0.value < $1.value }
    let loose = taken.filter { !layout.headers[$0.value].utf8.elementsEqual($0.key.rawValue.utf8) }
    if !loose.isEmpty {
      let noun =
        switch layout.shape {
        case .steps: "steps"
        case .cards: "cards"
        case .catalogue: "items"
        case .charters: "charters"
        }
      let words = taken.map { "'\(layout.header($0.value))' as \($0.key.rawValue)" }.joined(separator: ", ")
      let (place, excerpt) = place(nil)
      findings.report(Diagnostic(.columnsRead, "the rows are \(noun): \(words)", at: place, excerpt: excerpt))
    }
    if let sections = header.sections {
      let (place, excerpt) = place(nil)
      let names = sections.filter { !$0.isEmpty }.prefix(8).map { "'\(CellScanner.shown($0))'" }.joined(separator: ", ")
      findings.report(
        Diagnostic(.columnsAsSections, "the columns are sections: \(names)", at: place, excerpt: excerpt))
    }
    if layout.shape == .steps { return reportKept(layout, place) }
    for (number, cell) in layout.unknown.enumerated() {
      let (place, excerpt) = place(number < Self.located ? cell : nil)
      findings.report(
        Diagnostic(
          .unreadColumn, "the column '\(layout.header(cell))' is not recognized; its values are not read", at: place,
          excerpt: excerpt))
    }
    for (number, (cell, column)) in layout.doubled.enumerated() {
      let (place, excerpt) = place(number < Self.located ? cell : nil)
      let other = layout.cells[column].map(layout.header) ?? column.rawValue
      findings.report(
        Diagnostic(
          .doubledColumn,
          "'\(layout.header(cell))' means \(column.rawValue), like '\(other)'; this column is not read",
          at: place, excerpt: excerpt))
    }
  }

  /// Reports the columns of a step table that are kept in the details. Columns without a header are reported when their
  /// first text is read.
  private func reportKept(_ layout: TableLayout, _ place: (Int?) -> (Place, String?)) {
    var doubled: [Int: TableColumn] = [:]
    for (cell, column) in layout.doubled { doubled[cell] = column }
    var number = 0
    for column in layout.kept where column.isNamed {
      if case .minutes = column.kind { continue }
      let (place, excerpt) = place(number < Self.located ? column.cell : nil)
      number += 1
      let name = layout.header(column.cell)
      if let meaning = doubled[column.cell] {
        let other = layout.cells[meaning].map(layout.header) ?? meaning.rawValue
        findings.report(
          Diagnostic(
            .doubledColumn,
            "'\(name)' means \(meaning.rawValue), like '\(other)'; this column is kept in the details",
            at: place, excerpt: excerpt))
      } else {
        findings.report(
          Diagnostic(
            .keptColumn, "the column '\(name)' is kept in the details of each step", at: place,
            severity: layout.isExact ? .note : nil, excerpt: excerpt))
      }
    }
  }
}
