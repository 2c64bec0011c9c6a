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
  /// - Throws: `RunFailure` when the file cannot be read or is not text.
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
  /// - Throws: `RunFailure` with status 4 when a file of that name exists.
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
