import Interchange
import JSONText
import XMLStream

/// Reads `xl/worksheets/sheet1.xml` and hands out its rows in batches; nothing is allocated for a cell.
///
/// - Source: ECMA-376 part 1, 18.3
final class SheetPart: PartHandler {
  /// How many columns are read; more are no table of FleetKit's, and would cost time for nothing.
  static let columns = 1024

  private enum State: UInt8 { case outside, data, row, cell, value, inline, inlineText, formula }
  private enum Kind: UInt8 { case number, shared, text, boolean, error, plain }

  /// What was seen besides.
  private(set) var notes = SheetNotes()
  /// How much of the archive was read; set from outside.
  var packed = 0

  private let formats: [CellFormat]
  private let dates: SerialDate
  private let strings: SharedStringCursor
  private let send: (SheetBatch) throws -> Void

  private var batch = SheetBatch()
  private var state = State.outside
  /// How many elements of no interest are open.
  private var skipped = 0
  private var depth = 0
  private var raw = ByteBuffer(capacity: 1 << 12)

  private var rowNumber = 0
  private var rowStart = 0
  private var firstCell = 0
  private var lastUsed = 0
  private var hasText = false
  private var problem: String?
  private var problemCell: Int?

  private var column = 0
  private var kind = Kind.number
  private var style = 0
  private var hasFormula = false

  init(
    formats: [CellFormat], dates: SerialDate, strings: SharedStringCursor,
    send: @escaping (SheetBatch) throws -> Void
  ) {
    self.formats = formats
    self.dates = dates
    self.strings = strings
    self.send = send
  }

  /// Hands out what is left.
  func finish() throws {
    batch.packed = packed
    try send(batch)
  }

  // MARK: - XML

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    if skipped > 0 {
      skipped += 1
      return
    }
    let name = name.local
    switch state {
    case .row where name.is("c"): try beginCell(attributes)
    case .cell where name.is("v"): state = .value
    case .cell where name.is("is"): state = .inline
    case .cell where name.is("f"):
      hasFormula = true
      state = .formula
    case .data where name.is("row"): try beginRow(attributes)
    case .inline where name.is("t"): state = .inlineText
    case .inline where name.is("r"): break
    case .outside:
      depth += 1
      if depth == 1, !name.is("worksheet") { throw PartProblem("this is no sheet") }
      if depth == 2, name.is("sheetData") { state = .data }
      if name.is("mergeCell"), let range = attributes["ref"] { noteMerged(range) }
    default: skipped = 1
    }
  }

  func end(_ name: XMLName) throws {
    if skipped > 0 {
      skipped -= 1
      return
    }
    switch state {
    case .value, .formula: state = .cell
    case .cell:
      try endCell()
      state = .row
    case .row:
      try endRow()
      state = .data
    case .inlineText: state = .inline
    case .inline: if name.local.is("is") { state = .cell }
    case .data:
      state = .outside
      depth -= 1
    case .outside: depth -= 1
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard state == .value || state == .inlineText, skipped == 0 else { return }
    raw.append(bytes)
    if raw.count > CellLimit.units { try CellLimit.check(raw.count) }
  }

  // MARK: - Rows

  private func beginRow(_ attributes: XMLAttributes) throws {
    var number = rowNumber + 1
    if let said = attributes["r"] {
      guard let value = CellReference.number(said), value > 0 else {
        throw PartProblem("'\(shown(said))' is no number of a row")
      }
      guard value > rowNumber else { throw PartProblem("row \(value) stands behind row \(rowNumber)") }
      number = value
    }
    guard number <= CellReference.rows else { throw PartProblem("a sheet has more than \(CellReference.rows) rows") }
    rowNumber = number
    rowStart = batch.bytes.count
    firstCell = batch.cells.count
    lastUsed = firstCell
    (column, hasText, problem, problemCell) = (0, false, nil, nil)
    state = .row
  }

  private func endRow() throws {
    if batch.cells.count > lastUsed { batch.cells.removeLast(batch.cells.count - lastUsed) }
    if hasText || problem != nil {
      batch.rows.append(
        SheetBatch.Row(
          number: rowNumber, bytes: rowStart..<batch.bytes.count, cells: firstCell..<lastUsed, problem: problem,
          cell: problemCell))
    } else {
      batch.cells.removeLast(batch.cells.count - firstCell)
      batch.bytes.truncate(to: rowStart)
    }
    guard batch.isFull || batch.errors.count >= 1024 else { return }
    batch.packed = packed
    try send(batch)
    batch = SheetBatch()
  }

  // MARK: - Cells

  private func beginCell(_ attributes: XMLAttributes) throws {
    (kind, style, hasFormula) = (.number, 0, false)
    column += 1
    for (name, value) in attributes {
      guard let first = value.first else { continue }
      if name.is("r") {
        guard let (said, row) = CellReference.parse(value), row == rowNumber else {
          throw PartProblem("'\(shown(value))' is no cell of row \(rowNumber)")
        }
        column = said
      } else if name.is("s") {
        style = CellReference.number(value) ?? 0
      } else if name.is("t") {
        switch first {
        case 0x73: kind = value.count == 1 ? .shared : .text  // s, str
        case 0x69: kind = .text  // inlineStr
        case 0x62: kind = .boolean
        case 0x65: kind = .error
        case 0x64: kind = .plain  // d: a date as text
        default: kind = .number
        }
      }
    }
    guard column <= CellReference.columns else { throw PartProblem("a sheet has more than 16384 columns") }
    raw.removeAll()
    state = .cell
  }

  private func endCell() throws {
    if hasFormula {
      notes.formulas += 1
      if raw.count == 0, kind == .number {
        notes.valueless += 1
        if notes.firstValueless == nil { notes.firstValueless = (rowNumber, column) }
      }
    }
    guard raw.count > 0, problem == nil else { return }
    guard column <= Self.columns else {
      problem = "it has a cell \(CellReference.text(column, rowNumber)), and columns are read up to \(Self.columns)"
      problemCell = column - 1
      return
    }
    let place = firstCell + column - 1
    let start = batch.bytes.count
    while batch.cells.count <= place { batch.cells.append(TableRow.Cell(start: start - rowStart, length: 0)) }
    guard batch.cells[place].length == 0 else {
      problem = "it has two cells \(CellReference.text(column, rowNumber))"
      problemCell = column - 1
      return
    }
    try appendValue()
    let length = batch.bytes.count - start
    guard length > 0 else { return }
    batch.cells[place] = TableRow.Cell(start: start - rowStart, length: length)
    lastUsed = max(lastUsed, place + 1)
    if !hasText { hasText = UnsafeBufferPointer(rebasing: batch.bytes.bytes[start...]).contains { $0 > 0x20 } }
  }

  private func appendValue() throws {
    switch kind {
    case .shared:
      let index = CellNumberIndex.parse(raw.bytes)
      let found = try strings.with(index) { batch.bytes.append($0) }
      guard found else { throw PartProblem("there is no shared text of number '\(shown(raw.bytes))'") }
    case .number:
      let format = style < formats.count ? formats[style] : .general
      CellNumber.append(raw.bytes, as: format, dates: dates, to: &batch.bytes)
    case .text: EscapedText.append(raw.bytes, to: &batch.bytes)
    case .plain: batch.bytes.append(raw.bytes)
    case .boolean:
      let isTrue = raw.bytes.first == 0x31 || raw.bytes.first == 0x74
      if isTrue { batch.bytes.append("TRUE") } else { batch.bytes.append("FALSE") }
    case .error:
      batch.errors.append(SheetBatch.ErrorCell(row: rowNumber, column: column, text: shown(raw.bytes)))
    }
  }

  private func noteMerged(_ range: UnsafeBufferPointer<UInt8>) {
    guard let colon = range.firstIndex(of: 0x3A),
      let first = CellReference.parse(UnsafeBufferPointer(rebasing: range[..<colon])),
      let last = CellReference.parse(UnsafeBufferPointer(rebasing: range[(colon + 1)...])), first.column != last.column
    else { return }
    if notes.merged == 0 { notes.firstMerged = shown(range) }
    notes.merged += 1
  }

  private func shown(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: bytes.prefix(40), as: UTF8.self)
  }
}

/// The number of a shared text.
enum CellNumberIndex {
  /// The number that digits mean; -1 for anything else.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard !bytes.isEmpty, bytes.count <= 10 else { return -1 }
    var value = 0
    for byte in bytes {
      guard byte >= 0x30, byte <= 0x39 else { return -1 }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
