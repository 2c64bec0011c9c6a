import Content
import DelimitedText
import Diagnostics
import Interchange
import SourceFolders
import TableShapes

extension FormatID {
  /// Todoist templates.
  public static let todoist = FormatID(rawValue: "todoist")
}

/// The format of Todoist templates: CSV files that each contain one project.
///
/// - Source: formats/todoist.md
public struct TodoistFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  private static let descriptor = FormatDescriptor(
    .todoist, title: "Todoist template, one project", page: "todoist", extensions: ["csv"], mediaType: "text/csv",
    keeps: [.checklists, .sections, .itemDetails, .minutes], fromFolders: .withoutNotes, writesFolders: true,
    options: [.delimiter], differences: [.emptyTexts], codes: DiagnosticCode.delimited + DiagnosticCode.todoist)

  /// Recognizes a template by its header, in files whose names end in `.csv`.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    descriptor.extensions.contains(source.pathExtension) && TodoistColumns.begin(head.bytes)
  }

  /// Returns false, because text has no signature.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Returns false, because the extension `.csv` means a table.
  public func isNamed(by target: Target) -> Bool { false }

  /// Returns the collection that the file belongs to.
  public func home(of source: Source) -> SourceHome? { SourceFolder.home(of: source) }

  /// Opens a template.
  /// - Throws: `RunFailure` when the file cannot be read or is not a template.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    let text = try DelimitedSource.opening(source, context.reading.table)
    text.reportEncoding(to: context.findings)
    let columns = try TodoistRows.columns(of: text)
    let home = home(of: source)
    var origin = TableOrigin(
      source: home?.name ?? "-", folder: home?.folder ?? "",
      path: home?.path ?? "Todoist", format: descriptor.name)
    origin.delimiter = String(decoding: [text.dialect.delimiter], as: UTF8.self)
    origin.columns = columns.headers
    let table = SourceTable(
      sheet: nil, rows: try TodoistRows(text, findings: context.findings),
      places: TodoistPlaces(source: text, columns: columns),
      rejects: RejectTable(
        fileExtension: "csv", header: text.header(nil), lineEnd: text.lineEnd,
        origin: origin.with(context.reading.table).json))
    return TableReader([table], origin: origin, context: context)
  }

  /// Creates a template, or a folder of templates.
  /// - Throws: `RunFailure` with status 4 when a file or folder of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try TodoistWriter(
      target, delimiter: context.reading.table.writtenDelimiter ?? UInt8(ascii: ","), losses: context.losses)
  }
}
