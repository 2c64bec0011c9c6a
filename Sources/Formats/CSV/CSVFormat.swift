import Content
import DelimitedText
import Diagnostics
import Interchange
import JSONText
import SourceFolders
import TableShapes

extension FormatID {
  /// Delimited text.
  public static let csv = FormatID(rawValue: "csv")
}

/// The format of tables as delimited text: `.csv` and `.tsv`.
///
/// - Source: formats/tables.md; RFC 4180
public struct CSVFormat: Format {
  /// The format for Markdown in cells.
  private let notes: any MemberFormat

  /// Creates the format.
  /// - Parameter notes: the format of notes.
  public init(notes: any MemberFormat) { self.notes = notes }

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .csv, title: "Table as CSV", page: "csv", extensions: ["csv", "tsv"], mediaType: "text/csv",
    keeps: [
      .checklists, .guides, .decks, .ids, .times, .tags, .language, .sections, .itemDetails, .required, .minutes,
    ], fromFolders: .withoutNotes, options: [.delimiter, .excel], differences: [.emptyTexts, .tableColumns],
    codes: DiagnosticCode.table + DiagnosticCode.delimited)

  /// Recognizes a table only by its file extension, because any text might be a table.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    descriptor.extensions.contains(source.pathExtension)
  }

  /// Returns false, because text has no signature.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a table.
  /// - Throws: `RunFailure` if the file cannot be read or is not text.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let options = context.reading.table
    if let sheet = options.sheet {
      throw RunFailure(
        .usage, "read '\(source.path)': it is a single table and has no sheet '\(sheet)'",
        advice: "Read it separately, without --sheet.")
    }
    let text = try DelimitedSource.opening(source, options)
    text.reportEncoding(to: context.findings)
    let home = home(of: source)
    var origin = TableOrigin(
      source: home?.name ?? "-", folder: home?.folder ?? "", path: home?.path ?? "Table", format: descriptor.name)
    origin.delimiter = String(decoding: [text.dialect.delimiter], as: UTF8.self)
    let rows = text.rows()
    let header = try HeaderMatch(options).headerRow(of: rows)
    origin.columns = header?.cells ?? []
    let table = SourceTable(
      sheet: nil, rows: rows, places: CSVPlaces(source: text),
      rejects: RejectTable(
        fileExtension: source.pathExtension == "tsv" ? "tsv" : "csv",
        header: options.noHeader ? text.preamble : text.header(header?.row),
        lineEnd: text.lineEnd, origin: origin.with(options).json))
    return TableReader([table], origin: origin, markdown: notes, context: context)
  }

  /// Creates a table.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try CSVWriter(target, context: context)
  }

}

extension CSVFormat: TableTemplateFormat {
  /// Writes a template that contains an example.
  public func writeTemplate(_ shape: TableShape, to target: Target, _ options: TableOptions) throws -> Int {
    let file = try OutputFile(target)
    do {
      let sink = CSVSink(file, target, isForExcel: options.excel, delimiter: options.writtenDelimiter)
      try TableTemplate.write(shape, to: sink)
      try sink.finish()
      return try file.publish()
    } catch {
      file.discard()
      throw error
    }
  }
}

/// Finds cells of a delimited file by line and column.
private struct CSVPlaces: TablePlaces {
  let source: DelimitedSource

  var file: String { source.name }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    let found = source.position(row: row, cell: cell, part: part)
    return LocatedPlace(Place(file: file, line: found.line, column: found.column, endColumn: found.endColumn))
  }

  func original(row: (number: Int, offset: Int)) -> [UInt8] { source.original(row: row) }

  func text(row: (number: Int, offset: Int), cell: Int) -> [UInt8]? { source.text(row: row, cell: cell) }
}

/// Writes items as one delimited table.
///
/// The output is UTF-8 with line feeds, which suits version control and which every spreadsheet program reads. For
/// Excel, it has a byte order mark and the CRLF line breaks of RFC 4180. Formulas are neutralized.
final class CSVWriter: ContentWriter {
  private let tables: TableRowWriter
  private let sink: CSVSink
  private let file: OutputFile
  private var ids: DuplicateIDFilter

  /// Creates a table.
  /// - Throws: `RunFailure` with status 4 if a file of that name exists.
  init(_ target: Target, context: RunContext) throws {
    tables = try TableRowWriter(context: context, hasSheets: false)
    ids = DuplicateIDFilter(context, in: "the table")
    file = try OutputFile(target)
    let options = context.reading.table
    sink = CSVSink(file, target, isForExcel: options.excel, delimiter: options.writtenDelimiter)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try ids.rejectOthers(in: batch, tally: &tally, rejects: rejects)
    try tables.add(batch, tally: &tally)
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try tables.write(to: sink)
    try sink.finish()
  }

  func finish() throws -> Int { try file.publish() }

  func abort() { file.discard() }
}

/// Writes the rows of one table.
final class CSVSink: TableSink {
  private let sink: ByteSink
  private var writer: DelimitedWriter
  private var buffer = ByteBuffer(capacity: 1 << 16)

  /// Writes to a target's file. The delimiter is a comma, or a tab for the extension `tsv`. Excel's variant is written
  /// on request.
  /// - Parameter delimiter: the delimiter to use regardless of the file name.
  convenience init(_ file: OutputFile, _ target: Target, isForExcel: Bool, delimiter: UInt8? = nil) {
    self.init(
      ByteSink(descriptor: file.descriptor, name: target.path),
      DelimitedDialect(
        delimiter: delimiter ?? (target.pathExtension == "tsv" ? 0x09 : UInt8(ascii: ",")),
        lineEnd: isForExcel ? [0x0D, 0x0A] : [0x0A]), hasMark: isForExcel)
  }

  /// Writes to `sink`, beginning with a byte order mark if requested.
  init(_ sink: ByteSink, _ dialect: DelimitedDialect, hasMark: Bool) {
    self.sink = sink
    writer = DelimitedWriter(dialect)
    if hasMark { buffer.append("\u{FEFF}") }
  }

  func begin(_ name: String, columns: [TableColumn], others: [String]) throws {
    for header in columns.map(\.rawValue) + others { writer.append(header, to: &buffer) }
    writer.endRow(&buffer)
  }

  func write(_ row: borrowing TableRow) throws {
    for cell in row.cells.indices { writer.append(row.text(cell).span, to: &buffer) }
    writer.endRow(&buffer)
    if buffer.count > 1 << 16 { try flush() }
  }

  func end() throws { try flush() }

  /// Flushes all buffered bytes.
  func finish() throws {
    try flush()
    try sink.flush()
  }

  private func flush() throws {
    try sink.write(buffer.bytes.span)
    buffer.removeAll()
  }
}
