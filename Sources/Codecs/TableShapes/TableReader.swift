import Content
import Diagnostics
import Interchange
import JSONText

/// Reads the tables of a source one by one and makes records from them.
///
/// Each table is read twice. First, a survey finds the header and the rows that belong together; then the rows are
/// converted to canonical lines. The memory use is limited to a few batches and the largest checklist, regardless of
/// the order of the rows.
package final class TableReader: ContentReader {
  private let tables: [SourceTable]
  private let origin: TableOrigin
  private let markdown: (any MemberFormat)?
  private let context: RunContext
  private let memory = BatchMemory(largest: 4 << 20)
  /// The meaning of the tables' headers; nil before the first batch is requested.
  private var headers: [TableHeader?]?
  /// The name of the file if only one sheet has rows; otherwise nil.
  private var onlySheet: String?
  private var number = 0
  private var reading: (any TableRowReader)?

  /// Prepares to read.
  /// - Parameters:
  ///   - origin: the origin of the source, from which ids are derived if the rows have none.
  ///   - markdown: the reader for documents in a catalogue; if it is nil, the documents are guides.
  package init(
    _ tables: [SourceTable], origin: TableOrigin, markdown: (any MemberFormat)? = nil, context: RunContext
  ) {
    self.tables = tables
    self.origin = origin
    self.markdown = markdown
    self.context = context
  }

  package var progress: (done: Int, total: Int?) {
    if let reading, tables.count == 1 { return reading.progress }
    // All sheets are in one file. The sheet that is being read reports its progress.
    return tables.indices.contains(number) ? tables[number].rows.progress : (0, nil)
  }

  package func next() throws -> RecordBatch? {
    let headers = try found()
    while true {
      if let reading {
        if let batch = try reading.next() { return batch }
        if reading.rowCount == 0, let header = headers[number] {
          HeaderReport(tables, findings: context.findings).reportEmpty(tables[number], header)
        }
        self.reading = nil
        number += 1
      }
      guard number < tables.count else { return nil }
      if let header = headers[number] { reading = try begin(tables[number], header) } else { number += 1 }
    }
  }

  // MARK: Headers

  private func found() throws -> [TableHeader?] {
    if let headers { return headers }
    let options = context.reading.table
    let match = try HeaderMatch(options.retry == nil ? options : options.asRetried)
    var headers = try tables.map { try TableHeader.find(in: $0.rows, match, isSheet: $0.sheet != nil) }
    try findMatrices(&headers, options)
    let report = HeaderReport(tables, findings: context.findings)
    let unused = match.unused(in: headers.map { $0.seen })
    try report.check(options, unused)
    try match.check(headers.compactMap { $0.found?.layout })
    try report.report(headers, match, shape: try HeaderMatch.shape(named: options.shape))
    if options.sheet == nil, headers.count(where: { $0.first != nil }) == 1 { onlySheet = Self.stem(origin.path) }
    self.headers = headers.map(\.found)
    return headers.map(\.found)
  }

  /// Looks for tables whose columns are sections, if no table has a header or the user requests it.
  private func findMatrices(_ headers: inout [TableHeader.Search], _ options: TableOptions) throws {
    let isOpen =
      !options.noHeader && options.map.isEmpty && options.key == nil && options.retry == nil
      && options.shape ?? TableShape.steps.rawValue == TableShape.steps.rawValue
    guard options.matrix || isOpen && headers.allSatisfy({ $0.found == nil }) else { return }
    for index in headers.indices {
      guard let first = headers[index].first,
        let sections = try MatrixRows.headers(of: tables[index].rows, asked: options.matrix)
      else { continue }
      headers[index].found = TableHeader(index: -1, row: first.row, layout: MatrixRows.layout, sections: sections)
      headers[index].above = []
    }
  }

  private func begin(_ source: SourceTable, _ header: TableHeader) throws -> any TableRowReader {
    let options = context.reading.table
    let table = try source.asRead(header)
    var origin = options.retry?.table ?? self.origin
    if options.retry == nil { origin.sheet = table.sheet }
    table.rows.expect(cells: header.layout.headers.count)
    let rows = try options.retry.map { retry in
      try RetriedRows(table.rows, header.layout, header: header.index, retry: retry)
    }
    // Row numbers are no longer valid if rows were removed.
    let facts = TableContext(
      layout: header.layout, places: table.places, rejects: table.rejects,
      retry: rows?.isWhole == true ? options.retry : nil)
    let scope = TableScope(
      origin: origin, name: header.title ?? Self.name(of: origin, onlySheet: onlySheet),
      isPartial: options.retry != nil)
    let body = TableBody(
      rows ?? table.rows, header.layout, header: header.index, isSheet: table.sheet != nil, places: table.places,
      findings: context.findings)
    if header.layout.shape == .catalogue {
      return try CatalogueTableReader(
        body, facts, scope: scope, header: header.index, notes: markdown, context: context, memory: memory)
    }
    if header.layout.shape == .charters {
      return try CharterTableReader(
        body, facts, scope: scope, header: header.index, context: context, memory: memory)
    }
    return try ListTableReader(
      body, facts, scope: scope, header: header.index, context: context, memory: memory)
  }

  /// Returns the name of a list whose rows do not name it. This is the name of the sheet. If there is no sheet, or the
  /// only sheet has a default name, it is the name of the file.
  private static func name(of origin: TableOrigin, onlySheet: String?) -> String {
    guard let sheet = origin.sheet else { return stem(origin.path) }
    if let onlySheet, isNewSheet(sheet) { return onlySheet }
    return sheet
  }

  /// Returns whether a sheet has a default name, such as `Sheet1` or `Лист 1`.
  private static func isNewSheet(_ name: String) -> Bool {
    let word = HeaderFold.fold(name)
    let letters = word.prefix { !$0.isNumber }
    return newSheets.contains(String(letters)) && word.dropFirst(letters.count).allSatisfy(\.isNumber)
  }

  private static let newSheets: Set<String> = Set(
    [
      "Sheet", "Table", "Tabelle", "Лист", "Аркуш", "Feuil", "Feuille", "Hoja", "Foglio", "Planilha", "Página", "Folha",
      "Blad", "Ark", "Arkusz", "List", "Hárok", "Munka", "Taul", "Taulukko", "Sayfa", "Sayfası", "Φύλλο", "シート", "工作表",
    ].map(HeaderFold.fold))

  /// Returns a file's name without its folder and extension.
  private static func stem(_ path: String) -> String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
      return String(decoding: name, as: UTF8.self)
    }
    return String(decoding: name[..<dot], as: UTF8.self)
  }
}

extension TableOptions {
  /// The options, completed with the options that were used when the table's rows were rejected.
  var asRetried: TableOptions {
    guard let table = retry?.table else { return self }
    var options = self
    if map.isEmpty { options.map = table.map.map { ($0.key, $0.value) } }
    options.key = key ?? table.key
    options.shape = shape ?? table.shape
    options.noHeader = noHeader || table.noHeader
    return options
  }
}

/// Reads the rows of one table.
protocol TableRowReader: AnyObject {
  /// Returns the next records, or nil at the end.
  func next() throws -> RecordBatch?

  /// The number of rows that were read below the header, including unusable ones.
  var rowCount: Int { get }

  /// The progress in bytes.
  var progress: (done: Int, total: Int?) { get }
}

/// The names from which the ids of a table's items are derived, and properties that all rows of the table share.
struct TableScope: Sendable {
  /// The origin of the table. Rejected rows belong to the table from which they were rejected.
  let origin: TableOrigin
  /// The name of a list whose rows do not name it: the name of the sheet, or of the file without its extension.
  let name: String
  /// Whether every record is partial. This is true for rejected rows, which are not all rows of their item.
  let isPartial: Bool

  /// Begins the name from which an item's id is derived.
  func begin(_ deriver: inout IDDeriver, kind: StaticString) {
    deriver.begin()
    deriver.add(origin.source)
    deriver.add(origin.path)
    deriver.add(origin.sheet.map { "\(kind) \($0)" } ?? "\(kind)")
  }
}

/// A table of a source: a CSV file or a sheet of a workbook.
package struct SourceTable {
  /// The name of the sheet; nil if the file is a single table.
  package let sheet: String?
  /// The rows of the table, beginning with the header.
  package let rows: any TableRows
  /// Finds the places of the table's cells.
  package let places: any TablePlaces
  /// The form in which rejected rows of the table are stored.
  package let rejects: RejectTable

  package init(sheet: String?, rows: any TableRows, places: any TablePlaces, rejects: RejectTable) {
    self.sheet = sheet
    self.rows = rows
    self.places = places
    self.rejects = rejects
  }
}

extension SourceTable {
  /// Returns the table in the form in which it is read, which is by columns if the columns are sections.
  fileprivate func asRead(_ header: TableHeader) throws -> SourceTable {
    guard let sections = header.sections else { return self }
    return SourceTable(
      sheet: sheet, rows: try MatrixRows(rows, headers: sections, header: 0), places: MatrixPlaces(places: places),
      rejects: rejects)
  }
}

/// Finds the places of a table's cells for findings. It outlives the table's reader and may read the source again.
package protocol TablePlaces: Sendable {
  /// The name of the source in findings.
  var file: String { get }

  /// Returns the place of a cell or of a range of its text.
  /// - Parameters:
  ///   - row: the row's number and offset from its `TableRow`.
  ///   - cell: the index of the cell, from 0; nil for the whole row.
  ///   - part: a byte range in the cell's text; nil for the whole text.
  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace

  /// Returns the original bytes of a row, for rejects. A row of a sheet is returned as a line of CSV.
  func original(row: (number: Int, offset: Int)) -> [UInt8]

  /// Returns the text of a cell as in its `TableRow`, for finding a range in it, or nil if the cell cannot be read
  /// again.
  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]?
}

extension TablePlaces {
  /// Returns nil, because finding ranges in cells is not supported.
  package func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { nil }
}
