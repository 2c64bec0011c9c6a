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
  /// - Throws: `RunFailure` if the file cannot be read or is not a template.
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
  /// - Throws: `RunFailure` with status 4 if a file or folder of that name exists.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try TodoistWriter(
      target, delimiter: context.reading.table.writtenDelimiter ?? UInt8(ascii: ","), losses: context.losses)
  }
}

/// The columns of a Todoist template, and their positions in a file.
///
/// - Source: formats/todoist.md; Todoist's help, "How to format your CSV file so you can import it into Todoist"
struct TodoistColumns: Sendable {
  /// The columns by their headers, in the order in which Todoist writes them.
  enum Column: String, CaseIterable, Sendable {
    case type = "TYPE"
    case content = "CONTENT"
    case description = "DESCRIPTION"
    case priority = "PRIORITY"
    case indent = "INDENT"
    case author = "AUTHOR"
    case responsible = "RESPONSIBLE"
    case date = "DATE"
    case dateLanguage = "DATE_LANG"
    case timezone = "TIMEZONE"
    case duration = "DURATION"
    case durationUnit = "DURATION_UNIT"
    case deadline = "DEADLINE"
    case deadlineLanguage = "DEADLINE_LANG"
  }

  /// The columns that are written: all except the deadline, which is newer than most templates.
  static let written: [Column] = [
    .type, .content, .description, .priority, .indent, .author, .responsible, .date, .dateLanguage, .timezone,
    .duration, .durationUnit,
  ]

  private let cells: [Column: Int]
  /// The headers as the file spells them.
  let headers: [String]

  /// Parses a header; returns nil if it is not a template's header.
  init?(_ headers: [String]) {
    self.headers = headers
    var cells: [Column: Int] = [:]
    for (cell, header) in headers.enumerated() {
      guard let column = Column(rawValue: header.uppercased().filter { $0 != " " }) else { continue }
      if cells[column] == nil { cells[column] = cell }
    }
    guard cells[.type] != nil, cells[.content] != nil, cells[.priority] != nil || cells[.indent] != nil else {
      return nil
    }
    self.cells = cells
  }

  /// Returns a column's position, or -1 if the file does not have the column. Rows have no value at -1.
  func cell(_ column: Column) -> Int { cells[column] ?? -1 }

  /// The positions of headers that have no meaning in a template.
  var unknown: [Int] {
    let known = Set(cells.values)
    return headers.indices.filter { !known.contains($0) && !headers[$0].isEmpty }
  }

  /// Whether a file begins with a template's header.
  static func begin(_ head: [UInt8]) -> Bool {
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09] {
      let cells = line.split(separator: separator, omittingEmptySubsequences: false).map { cell in
        String(decoding: cell.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
      }
      if TodoistColumns(cells) != nil { return true }
    }
    return false
  }
}

extension DiagnosticCode {
  /// The file is not a template.
  public static let notTodoist = DiagnosticCode(
    "TBL0401", "not-todoist", .error, "The file is not a Todoist template.",
    why: "without a template's header it is unclear which rows are tasks",
    fix: "export it from Todoist as a template, or specify another format with --from-format")
  /// A template has a value that a checklist cannot hold.
  public static let todoistLeftOut = DiagnosticCode(
    "TBL0402", "todoist-left-out", .warning,
    "A Todoist template has a value that a checklist cannot hold; it was not read.",
    why: "a checklist is a reusable plan, whereas dates and people belong to a single use of it",
    fix: "nothing needs to be done; if you need the value, add it to the task's description")
  /// A cell has a value that Todoist does not write.
  public static let todoistValue = DiagnosticCode(
    "TBL0403", "todoist-value", .error, "A cell has a value that Todoist does not define.",
    why: "a guess could turn a required task into an optional one, or put it below the wrong task",
    fix: "correct the cell in the template, or in an import's rejects file, which import --retry reads")

  /// All codes for findings about Todoist templates.
  package static let todoist = [
    notTodoist, todoistLeftOut, todoistValue,
  ]
}
