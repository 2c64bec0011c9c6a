import Interchange

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
