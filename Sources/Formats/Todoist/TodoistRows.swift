import Content
import DelimitedText
import Diagnostics
import Interchange
import JSONText
import TableShapes

/// Reads a Todoist template as a table of steps, with one row for each task and section. Notes are added to the details
/// of the task above them.
///
/// Two rows are held in memory. Row numbers and offsets refer to the template.
final class TodoistRows: TableRows {
  private let columns: TodoistColumns
  private let source: DelimitedSource
  private let findings: DiagnosticLog
  private let inner: DelimitedRows
  private var isHeaderGiven = false
  /// The current row, and the row that follows the last task and its notes.
  private var raw = TableRow()
  private var ahead = TableRow()
  private var isAhead = false
  /// The problem in the row ahead.
  private var problemAhead: TableRowError?
  private var section = ""
  /// The titles of the possible parents of the next task.
  private var above: [(indent: Int, title: String)] = []
  /// The last row whose findings were reported. A table may be read more than once.
  private var reported = -1

  /// The step columns that tasks provide, each with the template column that it comes from.
  static let steps: [(header: String, column: TodoistColumns.Column)] = [
    ("section", .content), ("item", .content), ("required", .priority), ("minutes", .duration), ("tags", .content),
    ("details", .description),
  ]
  /// The first of the numbers that identify cells of the template itself. They are used for errors that have no
  /// corresponding step column.
  static let own = 1000

  /// Reads a template.
  /// - Throws: `RunFailure` if the source is not a template.
  init(_ source: DelimitedSource, findings: DiagnosticLog) throws {
    self.source = source
    self.findings = findings
    inner = source.rows()
    columns = try Self.columns(of: source)
    inner.expect(cells: columns.headers.count)
  }

  /// Reads the header of a template.
  /// - Throws: `RunFailure` with status 2 if the source is not a template.
  static func columns(of source: DelimitedSource) throws -> TodoistColumns {
    let rows = source.rows()
    var row = TableRow()
    if (try? rows.next(into: &row)) == true {
      let headers = row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self) }
      if let columns = TodoistColumns(headers) { return columns }
    }
    throw RunFailure(
      .failed,
      Diagnostic(
        .notTodoist, "not a Todoist template: the first row must have TYPE, CONTENT and PRIORITY or INDENT",
        at: Place(file: source.name, line: 1, column: 1)))
  }

  /// Does nothing, because a template's rows keep all of their cells, regardless of what the step reader expects.
  func expect(cells: Int?) {}

  func rewind() {
    inner.rewind()
    isHeaderGiven = false
    isAhead = false
    problemAhead = nil
    section = ""
    above = []
  }

  var progress: (done: Int, total: Int?) { inner.progress }

  func next(into row: inout TableRow) throws -> Bool {
    guard isHeaderGiven else {
      isHeaderGiven = true
      guard try inner.next(into: &raw) else { return false }
      begin(&row, at: raw)
      for step in Self.steps { row.append(step.header) }
      report { reportHeader() }
      return true
    }
    while try advance(&row) {
      let type = text(raw, .type).lowercased()
      switch type {
      case "task":
        try readTask(into: &row)
        return true
      case "section":
        try readSection(into: &row)
        return true
      case "note":
        report { leftOut(.content, "a note does not belong to a task; checklists and sections cannot have notes") }
      case "meta": break
      default:
        throw lost(
          &row,
          TableRowError(
            type.isEmpty
              ? "TYPE is empty; it must be task, section or note"
              : "TYPE is '\(text(raw, .type))'; it must be task, section or note", cell: Self.own + columns.cell(.type),
            code: .todoistValue))
      }
    }
    return false
  }

  /// Moves to the template's next row.
  private func advance(_ row: inout TableRow) throws -> Bool {
    if isAhead {
      isAhead = false
      swap(&raw, &ahead)
      if let problem = problemAhead {
        problemAhead = nil
        throw lost(&row, problem)
      }
      return true
    }
    do {
      return try inner.next(into: &raw)
    } catch let problem as TableRowError {
      throw lost(&row, Self.own(problem))
    }
  }

  /// Returns the error for an unreadable row. If the row may be a section, the section of the following tasks becomes
  /// unknown.
  private func lost(_ row: inout TableRow, _ problem: TableRowError) -> TableRowError {
    begin(&row, at: raw)
    let type = text(raw, .type).lowercased()
    // Sections have neither a priority nor an indent. All other rows have at least one of the two.
    let isBare = text(raw, .priority).isEmpty && text(raw, .indent).isEmpty
    if type == "section" || (isBare && !["task", "note", "meta"].contains(type)) {
      section = ""
    } else {
      for _ in Self.steps { row.append("") }
    }
    return problem
  }

  private static func own(_ problem: TableRowError) -> TableRowError {
    TableRowError(problem.message, cell: problem.cell.map { $0 + own }, code: problem.code)
  }

  // MARK: - Rows

  private func readSection(into row: inout TableRow) throws {
    begin(&row, at: raw)
    section = TaskTitle.trimmed(text(raw, .content))
    above = []
    guard !section.isEmpty else {
      throw lost(
        &row, TableRowError("a section has no title", cell: Self.own + columns.cell(.content), code: .todoistValue))
    }
    row.append(section)
    for _ in Self.steps.dropFirst() { row.append("") }
  }

  private func readTask(into row: inout TableRow) throws {
    begin(&row, at: raw)
    let task = TaskTitle(text(raw, .content))
    let indent = try indent(&row)
    let required = priority
    let minutes = minutes()
    var details = text(raw, .description)
    report { reportTask() }
    try readNotes(into: &details)
    above.removeAll { $0.indent >= indent }
    let title = above.last.map { $0.title + TaskTitle.below + task.title } ?? task.title
    if !task.title.isEmpty { above.append((indent, title)) }
    // The task's notes were skipped together with the task. Its title is still used for the subtasks below it.
    guard let required else {
      throw lost(
        &row,
        TableRowError(
          "PRIORITY is '\(text(raw, .priority))'; it must be 1, 2, 3 or 4, and 1 means required",
          cell: Self.own + columns.cell(.priority), code: .todoistValue))
    }
    row.append(section)
    row.append(task.title.isEmpty ? "" : title)
    row.append(required)
    row.append(minutes)
    row.append(task.labels.joined(separator: "; ") + (task.labels.count == 1 ? ";" : ""))
    row.append(details)
  }

  /// Reads the notes after a task. The first row that is not a note is kept for later.
  private func readNotes(into details: inout String) throws {
    while true {
      do {
        guard try inner.next(into: &ahead) else { return }
      } catch let problem as TableRowError {
        problemAhead = Self.own(problem)
      }
      guard problemAhead == nil, text(ahead, .type).lowercased() == "note" else {
        isAhead = true
        return
      }
      details += (details.isEmpty ? "" : "\n\n") + text(ahead, .content)
    }
  }

  private func indent(_ row: inout TableRow) throws -> Int {
    let text = text(raw, .indent)
    if text.isEmpty { return 1 }
    guard let indent = Int(text), (1...10).contains(indent) else {
      throw lost(
        &row,
        TableRowError(
          "INDENT is '\(text)'; it must be 1 to 4", cell: Self.own + columns.cell(.indent), code: .todoistValue))
    }
    return indent
  }

  /// The value of the column `required`; nil if the cell is not a priority. Todoist's highest priority means required.
  private var priority: String? {
    switch TaskTitle.trimmed(text(raw, .priority)) {
    case "1": "yes"
    case "", "2", "3", "4": "no"
    default: nil
    }
  }

  private func minutes() -> String {
    let text = text(raw, .duration)
    if text.isEmpty || text.lowercased() == "none" { return "" }
    let isDays = self.text(raw, .durationUnit).lowercased().hasPrefix("day")
    guard isDays, let days = Int(text), days < 100_000 else { return text }
    return String(days * 24 * 60)
  }

  private func begin(_ row: inout TableRow, at raw: borrowing TableRow) {
    row.removeAll()
    row.number = raw.number
    row.offset = raw.offset
    row.length = raw.length
  }

  private func text(_ row: borrowing TableRow, _ column: TodoistColumns.Column) -> String {
    let cell = columns.cell(column)
    return cell < 0 ? "" : String(decoding: row.text(cell), as: UTF8.self)
  }

  // MARK: - Values that steps cannot hold

  /// Calls `body` only the first time that a row is read.
  private func report(_ body: () -> Void) {
    guard raw.offset > reported else { return }
    reported = raw.offset
    body()
  }

  private func reportHeader() {
    for cell in columns.unknown {
      findings.report(
        Diagnostic(
          .todoistLeftOut, "the column '\(columns.headers[cell])' is not a Todoist column and was not read",
          at: place(cell)))
    }
  }

  private func reportTask() {
    for (column, what) in [
      (TodoistColumns.Column.date, "date"), (.deadline, "deadline"), (.responsible, "responsible person"),
    ] {
      let value = text(raw, column)
      if !value.isEmpty, value.lowercased() != "none" {
        leftOut(column, "the \(what) '\(value)' of a task was not read; steps cannot have one")
      }
    }
    let priority = text(raw, .priority)
    if priority == "2" || priority == "3" {
      leftOut(.priority, "the priority \(priority) of a task was not read; only 1 has a meaning: required")
    }
  }

  private func leftOut(_ column: TodoistColumns.Column, _ message: String) {
    findings.report(Diagnostic(.todoistLeftOut, message, at: place(columns.cell(column))))
  }

  private func place(_ cell: Int) -> Place {
    let found = source.position(row: (raw.number, raw.offset), cell: max(0, cell))
    return Place(file: source.name, line: found.line, column: found.column, endColumn: found.endColumn)
  }
}

extension TableRow {
  /// Appends a cell.
  fileprivate mutating func append(_ text: String) {
    let start = bytes.count
    bytes.append(utf8: text)
    cells.append(Cell(start: start, length: bytes.count - start))
  }
}

/// Finds the template cells from which steps were read.
struct TodoistPlaces: TablePlaces {
  let source: DelimitedSource
  let columns: TodoistColumns

  var file: String { source.name }

  func place(row: (number: Int, offset: Int), cell: Int?, part: Range<Int>?) -> LocatedPlace {
    var own: Int?
    if let cell {
      if cell >= TodoistRows.own {
        own = cell - TodoistRows.own
      } else if TodoistRows.steps.indices.contains(cell) {
        own = columns.cell(TodoistRows.steps[cell].column)
      }
    }
    let found = source.position(row: row, cell: own.flatMap { $0 < 0 ? nil : $0 })
    return LocatedPlace(Place(file: file, line: found.line, column: found.column, endColumn: found.endColumn))
  }

  /// Returns a task's row and the rows of its notes.
  func original(row: (number: Int, offset: Int)) -> [UInt8] {
    let first = source.original(row: row)
    var bytes = first
    let rows = source.rows()
    rows.seek(to: row.offset, line: row.number)
    var next = TableRow()
    do {
      guard try rows.next(into: &next), isType(next, "task") else { return first }
      while try rows.next(into: &next), isType(next, "note") {
        bytes += source.lineEnd + source.original(row: (next.number, next.offset))
      }
    } catch {
      // An unreadable row is not a note of this task.
    }
    return bytes
  }

  private func isType(_ row: borrowing TableRow, _ type: String) -> Bool {
    String(decoding: row.text(columns.cell(.type)), as: UTF8.self).lowercased() == type
  }
}
