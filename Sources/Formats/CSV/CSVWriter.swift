import Content
import DelimitedText
import Interchange
import JSONText
import TableShapes

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
  /// - Throws: `RunFailure` with status 4 when a file of that name exists.
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
    for cell in row.cells.indices { writer.append(row.text(cell), to: &buffer) }
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
    try sink.write(buffer.bytes)
    buffer.removeAll()
  }
}
