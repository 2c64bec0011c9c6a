import Content
import MarkdownSyntax

/// The step tables of a note, indexed by line.
struct StepTables {
  private var tables: [StepTable] = []
  private var rows: [Int: (table: Int, row: Int)] = [:]

  /// Creates an empty index.
  init() {}

  /// Finds the tables.
  init(_ note: ParsedNote, _ lines: NoteLines) {
    for block in note.tree.children(of: 0) where note.tree.blocks[block].kind == .table {
      guard let table = StepTable(lines, note.tree.blocks[block].lines) else { continue }
      for (index, row) in table.rows.enumerated() { rows[row.line] = (tables.count, index) }
      tables.append(table)
    }
  }

  /// Returns the row at an offset, or nil.
  func row(at offset: Int, _ tree: MarkdownTree) -> TableRowEdit? {
    guard !rows.isEmpty, let found = rows[tree.lines.line(at: offset)] else { return nil }
    return TableRowEdit(table: tables[found.table], row: tables[found.table].rows[found.row])
  }
}

/// Changes the cells of a table row, and makes new rows in the notation of that row.
///
/// A change fails if no cell can hold a value.
struct TableRowEdit {
  let table: StepTable
  let row: StepTable.Row

  /// Changes the cells whose values differ.
  func change(
    _ place: StepDraft, from old: StepDraft, to wanted: StepDraft, in source: ChecklistEdits,
    into edits: inout TextEdits
  ) -> Bool {
    let note = source.lines
    guard let new = cells(of: wanted, note, old: row) else { return false }
    for index in table.columns.indices {
      if case .title = table.columns[index] {
        if old.title.bytes == wanted.title.bytes { continue }
        guard !place.title.range.isEmpty else { return false }
        let edit = TitleEdit(source.text.span, place.title, from: old.title.bytes, to: wanted.title.bytes)
        guard let bytes = StepTable.cell(edit.bytes), !wanted.title.bytes.isEmpty else { return false }
        edits.replace(edit.range, with: bytes)
        continue
      }
      guard let value = new[index] else { continue }
      guard set(index, to: value, note, into: &edits) else { return false }
    }
    return true
  }

  /// Changes the cells that hold a section's title, in the rows of its steps.
  func change(
    section: SectionDraft, to title: [UInt8], in source: ChecklistEdits, into edits: inout TextEdits
  ) -> Bool {
    let column = table.columns.firstIndex { if case .section = $0 { true } else { false } }
    guard let column, let value = StepTable.cell(MarkdownRoundTrip.line(title)), !value.isEmpty else { return false }
    let note = source.lines
    for step in section.steps {
      guard let other = source.tables.row(at: step.range.lowerBound, source.note.tree) else { return false }
      // An empty cell repeats the cell above it.
      guard other.row.cells.count > column, !note.trimmed(other.row.cells[column]).isEmpty else { continue }
      if !other.set(column, to: value, note, into: &edits) { return false }
    }
    return true
  }

  /// Returns a row for a new step, without a line end. The new row has this row's section and the step's values.
  func new(_ step: StepDraft, in source: ChecklistEdits, distance: Int) -> [UInt8]? {
    let note = source.lines
    guard step.members == nil, step.sortOrder == nil, var new = cells(of: step, note, old: nil) else { return nil }
    for (index, column) in table.columns.enumerated() {
      let own = row.cells.count > index ? note.trimmed(row.cells[index]) : 0..<0
      let cell = Array(source.text[own])
      switch column {
      case .section: new[index] = cell
      case .number:
        new[index] = Int(String(decoding: cell, as: UTF8.self)).map { Array(String($0 &+ max(0, distance)).utf8) } ?? []
      case .done:
        new[index] = cell.first == UInt8(ascii: "[") ? Array("[ ]".utf8) : Self.isBox(cell) ? Array("☐".utf8) : []
      default: break
      }
    }
    var out: [UInt8] = []
    var at = row.bytes.lowerBound
    for (index, cell) in row.cells.enumerated() {
      out += source.text[at..<cell.lowerBound] + Self.padded(new[index] ?? [], like: source.text[cell])
      at = cell.upperBound
    }
    // These values belong in cells that the row does not have.
    for value in new.dropFirst(row.cells.count) where !(value ?? []).isEmpty { return nil }
    let end = row.excess.first?.lowerBound ?? row.bytes.upperBound
    return out + source.text[at..<max(at, end)]
  }

  /// Returns the table's lines above its rows.
  func header(in source: ChecklistEdits) -> [UInt8] {
    Array(source.text[table.header.bytes]) + source.lineEnd + Array(source.text[table.delimiter]) + source.lineEnd
  }

  // MARK: Cells

  /// Returns the contents of the cells for a step.
  /// - Parameter old: the row that changes; nil for a new row.
  /// - Returns: an array in which an unchanged cell is nil, or nil if the cells cannot hold the step.
  private func cells(of step: StepDraft, _ note: NoteLines, old: StepTable.Row?) -> [[UInt8]?]? {
    var cells = [[UInt8]?](repeating: nil, count: table.columns.count)
    var (hasRequired, hasOptional, hasMinutes, hasTags) = (false, false, false, false)
    /// The columns whose cells are lines of the details.
    var lines: [Int] = []
    for (index, column) in table.columns.enumerated() {
      let cell = old.flatMap { $0.cells.count > index ? note.trimmed($0.cells[index]) : nil }
      // This cell is read as text regardless of its column.
      if let cell, !cell.isEmpty, case .line = table.attribute(index, cell, note) {
        lines.append(index)
        continue
      }
      switch column {
      case .title: cells[index] = StepTable.cell(MarkdownRoundTrip.line(step.title.bytes))
      case .details, .other: lines.append(index)
      case .required:
        hasRequired = true
        var isSet = false
        if let cell, case .required = table.attribute(index, cell, note) { isSet = true }
        cells[index] = isSet == step.isRequired && cell != nil ? nil : flag(step.isRequired, index, note)
      case .optional:
        hasOptional = true
        var isSet = false
        if let cell, case .optional = table.attribute(index, cell, note) { isSet = true }
        cells[index] = isSet == step.isOptional && cell != nil ? nil : flag(step.isOptional, index, note)
      case .minutes(let hasUnit):
        hasMinutes = true
        if let minutes = step.minutes?.bytes, !StepNotation.isPlainNumber(minutes[...]) { return nil }
        cells[index] = minutes(step.minutes?.bytes, cell, hasUnit, note)
      case .tags:
        hasTags = true
        if step.tags.contains(where: { $0.bytes.contains(UInt8(ascii: ",")) || $0.bytes.isEmpty }) { return nil }
        let tags = Array(step.tags.map(\.bytes).joined(separator: [UInt8(ascii: ","), 0x20]))
        let isSame = cell.map { table.tags(index, $0, note) == step.tags.map(\.bytes) } ?? false
        cells[index] = isSame ? nil : StepTable.cell(tags) ?? nil
      case .section, .done, .number: break
      }
    }
    guard hasRequired || !step.isRequired || hasOptional, hasOptional || !step.isOptional || hasRequired,
      hasMinutes || step.minutes == nil, hasTags || step.tags.isEmpty
    else { return nil }
    guard distribute(step.details?.bytes, over: lines, into: &cells, note, old: old) else { return nil }
    return cells
  }

  /// Assigns the lines of the details to their cells.
  private func distribute(
    _ details: [UInt8]?, over columns: [Int], into cells: inout [[UInt8]?], _ note: NoteLines, old: StepTable.Row?
  ) -> Bool {
    var values: [Int: [UInt8]] = [:]
    for line in (details ?? []).split(separator: 0x0A, omittingEmptySubsequences: false) where details != nil {
      let named = columns.first { column in
        values[column] == nil && table.isNamed(column)
          && line.starts(with: table.names[column] + [UInt8(ascii: ":"), 0x20])
      }
      if let named {
        values[named] = Array(line.dropFirst(table.names[named].count + 2))
      } else if let free = columns.first(where: { values[$0] == nil && !table.isNamed($0) }) {
        values[free] = Array(line)
      } else {
        return false
      }
    }
    for column in columns {
      let value = values[column] ?? []
      let cell = old.flatMap { $0.cells.count > column ? $0.cells[column] : nil }
      if let cell, StepTable.value(note, cell).bytes == value { continue }
      if old != nil, cell == nil, value.isEmpty { continue }
      guard let written = StepTable.cell(value) else { return false }
      cells[column] = written
    }
    return true
  }

  /// Returns a flag in the notation of the column's other cells.
  private func flag(_ flag: Bool, _ column: Int, _ note: NoteLines) -> [UInt8] {
    if !flag { return [] }
    for other in table.rows.prefix(200) where other.cells.count > column {
      let cell = note.trimmed(other.cells[column])
      if StepTable.Tick(note.text.span, cell) == .ticked { return Array(note.text[cell]) }
    }
    return [UInt8(ascii: "x")]
  }

  private func minutes(_ minutes: [UInt8]?, _ cell: Range<Int>?, _ hasUnit: Bool, _ note: NoteLines) -> [UInt8]? {
    guard let minutes else { return cell?.isEmpty ?? true ? nil : [] }
    let old = cell.map { Array(note.text[$0]) } ?? []
    let digits = old.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    if digits.elementsEqual(minutes) { return nil }
    return minutes + (old.isEmpty ? (hasUnit ? [] : Array(" min".utf8)) : Array(old.dropFirst(digits.count)))
  }

  /// Changes one cell.
  private func set(_ column: Int, to value: [UInt8], _ note: NoteLines, into edits: inout TextEdits) -> Bool {
    guard row.cells.count > column else { return value.isEmpty }
    let cell = row.cells[column]
    let inside = note.trimmed(cell)
    if note.text[inside].elementsEqual(value) { return true }
    if inside.isEmpty {
      edits.replace(cell, with: Self.padded(value, like: note.text[cell]))
    } else {
      edits.replace(inside, with: value)
    }
    return true
  }

  /// Returns a value with blanks around it, padded to the width of another cell if the value fits.
  private static func padded(_ value: [UInt8], like cell: some Sequence<UInt8>) -> [UInt8] {
    func width(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } }
    let used = width(value) + 1
    return [0x20] + value + [UInt8](repeating: 0x20, count: max(value.isEmpty ? 0 : 1, width(cell) - used))
  }

  private static func isBox(_ cell: [UInt8]) -> Bool { cell.starts(with: [0xE2, 0x98]) }
}
