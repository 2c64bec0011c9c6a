import Content
import Diagnostics
import Interchange
import JSONText

/// Reads the tables of a source, one after the other, into records.
///
/// Each table is looked at twice: a survey finds the header and which rows belong together, then the rows become
/// canonical lines. Memory is bounded by a few batches and the largest checklist, whatever the order of the rows.
package final class TableReader: ContentReader {
  private let tables: [SourceTable]
  private let origin: TableOrigin
  private let markdown: (any MemberFormat)?
  private let context: RunContext
  private let memory = BatchMemory(largest: 4 << 20)
  /// What the headers of the tables mean; nil until the first batch is asked for.
  private var headers: [TableHeader?]?
  /// The name of the file where one sheet alone has rows; nil else.
  private var onlySheet: String?
  private var number = 0
  private var reading: (any TableReading)?

  /// Gets ready to read.
  /// - Parameters:
  ///   - origin: where the source is from; ids that the rows do not say are derived from it.
  ///   - markdown: what reads documents of a catalogue; without it they are guides.
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
    // Sheets are in one file; the one that is read says how far that is.
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

  /// Looks for tables whose columns are sections, where no table has a header or the user says so.
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

  private func begin(_ source: SourceTable, _ header: TableHeader) throws -> any TableReading {
    let options = context.reading.table
    let table = try source.asRead(header)
    var origin = options.retry?.table ?? self.origin
    if options.retry == nil { origin.sheet = table.sheet }
    table.rows.expect(cells: header.layout.headers.count)
    let rows = try options.retry.map { retry in
      try RetriedRows(table.rows, header.layout, header: header.index, retry: retry)
    }
    // Numbers of rows mean nothing any more when rows were taken out.
    let facts = TableFacts(
      layout: header.layout, places: table.places, rejects: table.rejects,
      retry: rows?.isWhole == true ? options.retry : nil)
    let scope = TableScope(
      origin: origin, name: header.title ?? Self.name(of: origin, onlySheet: onlySheet),
      isPartial: options.retry != nil)
    let body = TableBody(
      rows ?? table.rows, header.layout, header: header.index, isSheet: table.sheet != nil, places: table.places,
      findings: context.findings)
    if header.layout.shape == .catalogue {
      return try CatalogueReading(
        body, facts, scope: scope, header: header.index, notes: markdown, context: context, memory: memory)
    }
    if header.layout.shape == .charters {
      return try CharterReading(
        body, facts, scope: scope, header: header.index, findings: context.findings, memory: memory)
    }
    return try ListReading(
      body, facts, scope: scope, header: header.index, findings: context.findings, memory: memory,
      retry: options.retry)
  }

  /// What a list is called that does not say it: like its sheet, unless that is the only one and has the name that
  /// programs give to new sheets; else like its file.
  private static func name(of origin: TableOrigin, onlySheet: String?) -> String {
    guard let sheet = origin.sheet else { return stem(origin.path) }
    if let onlySheet, isNewSheet(sheet) { return onlySheet }
    return sheet
  }

  /// Whether a sheet is called as programs call new ones: `Sheet1`, `Лист 1`.
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

  /// A file's name without folder and ending.
  private static func stem(_ path: String) -> String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
      return String(decoding: name, as: UTF8.self)
    }
    return String(decoding: name[..<dot], as: UTF8.self)
  }
}

extension TableOptions {
  /// With what was said of a table when its rows were rejected, where nothing is said now.
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
protocol TableReading: AnyObject {
  /// The next records; nil at the end.
  func next() throws -> RecordBatch?

  /// How many rows were read below the header, those that cannot be used among them.
  var rowCount: Int { get }

  /// How far it is, in bytes.
  var progress: (done: Int, total: Int?) { get }
}

/// What ids of a table's items are derived from, and what is the same for all of its rows.
struct TableScope: Sendable {
  /// Where the table is from; rejected rows that are read again are from the table that rejected them.
  let origin: TableOrigin
  /// What a list is called that does not say it: the sheet, or the file without its ending.
  let name: String
  /// Whether every record is partial: rows that are read again are never all rows of their item.
  let isPartial: Bool

  /// Begins the name of an item's id.
  func begin(_ deriver: inout IDDeriver, kind: StaticString) {
    deriver.begin()
    deriver.add(origin.source)
    deriver.add(origin.path)
    deriver.add(origin.sheet.map { "\(kind) \($0)" } ?? "\(kind)")
  }
}

/// One table of a source: a CSV file, or a sheet of a workbook.
package struct SourceTable {
  /// The sheet's name; nil where a file is one table.
  package let sheet: String?
  /// Its rows, the header first.
  package let rows: any TableRows
  /// Where its cells are.
  package let places: any TablePlaces
  /// How its rejected rows are kept.
  package let rejects: RejectTable

  package init(sheet: String?, rows: any TableRows, places: any TablePlaces, rejects: RejectTable) {
    self.sheet = sheet
    self.rows = rows
    self.places = places
    self.rejects = rejects
  }
}

extension SourceTable {
  /// The table as its header says that it is read: by columns where those are sections.
  fileprivate func asRead(_ header: TableHeader) throws -> SourceTable {
    guard let sections = header.sections else { return self }
    return SourceTable(
      sheet: sheet, rows: try MatrixRows(rows, headers: sections, header: 0), places: MatrixPlaces(places: places),
      rejects: rejects)
  }
}

/// Finds cells of a table again, for findings. Outlives its reader; may read the source once more.
package protocol TablePlaces: Sendable {
  /// The source as findings name it.
  var file: String { get }

  /// The place of a cell, or of a part of its text.
  /// - Parameters:
  ///   - row: the row's number and offset as its `TableRow` had them.
  ///   - cell: the cell, from 0; nil for the whole row.
  ///   - part: bytes of the cell's text; nil for all of it.
  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace

  /// The row byte for byte as its source wrote it, for rejects; a row of a sheet as a line of CSV.
  func original(row: (number: Int, offset: Int)) -> [UInt8]

  /// The text of a cell as its `TableRow` had it, to find a part of it; nil when it cannot be read again.
  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]?
}

extension TablePlaces {
  /// Parts of cells are not looked for.
  package func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { nil }
}
