import Interchange
import JSONText
import XMLStream

/// Collects the rows of a sheet while it is being read. Cells become texts, and rows without text are left out.
///
/// The scan is a value type, so that frequent changes to it are cheap.
struct SheetScan: ~Copyable {
  private enum Kind: UInt8 { case number, shared, text, boolean, error, plain }

  /// Features of the sheet that are not imported.
  private(set) var notes = SheetNotes()
  /// Whether the current cell has a formula.
  var hasFormula = false

  private let formats: [CellFormat]
  private let dates: SerialDate
  private var strings: SharedStringCursor

  private var bytes = ByteBuffer(capacity: SheetBatch.room)
  private var cells: [SheetBatch.Cell] = []
  private var rows: [SheetBatch.Row] = []
  private var errors: [SheetBatch.ErrorCell] = []

  private var raw = ByteBuffer(capacity: 1 << 12)
  private var rowNumber = 0
  private var rowStart = 0
  private var firstCell = 0
  private var hasText = false
  private var problem: SheetBatch.Problem?
  private var problemCell = 0

  /// The state before the current row.
  private var before = (row: 0, errors: 0, notes: SheetNotes())

  private var column = 0
  private var kind = Kind.number
  private var style = 0

  init(formats: [CellFormat], dates: SerialDate, strings: consuming SharedStringCursor) {
    self.formats = formats
    self.dates = dates
    self.strings = strings
  }

  /// Whether the batch is full and should be sent.
  var isFull: Bool {
    bytes.count >= 1 << 16 || cells.count >= 1 << 14 || rows.count >= 1 << 12 || errors.count >= 1 << 10
  }

  /// Returns the collected rows as a batch, and starts a new batch.
  mutating func finishBatch(packed: Int) -> SheetBatch {
    var full = ByteBuffer(capacity: SheetBatch.room)
    swap(&full, &bytes)
    let batch = SheetBatch(full, cells, rows, errors, packed: packed)
    (cells, rows, errors) = ([], [], [])
    cells.reserveCapacity(1 << 12)
    rows.reserveCapacity(1 << 10)
    return batch
  }

  /// Appends to the current cell's text.
  mutating func append(_ text: Span<UInt8>) throws {
    raw.append(text)
    if raw.count > CellLimit.units { try CellLimit.check(raw.count) }
  }

  /// Appends plain text to the current cell's text.
  /// - Returns: false if the text is not plain.
  @inline(__always) mutating func appendPlain(_ xml: inout PlainXML) throws -> Bool {
    guard xml.text(into: &raw) else { return false }
    if raw.count > CellLimit.units { try CellLimit.check(raw.count) }
    return true
  }

  // MARK: - Rows

  /// Begins a row. `declared` is the row number in its tag, or nil.
  mutating func beginRow(_ declared: Span<UInt8>?) throws {
    before = (rowNumber, errors.count, notes)
    rowStart = bytes.count
    firstCell = cells.count
    var number = rowNumber + 1
    if let declared {
      guard let value = CellReference.number(declared), value > 0 else {
        throw PartProblem("'\(shown(declared))' is not a row number")
      }
      guard value > rowNumber else { throw PartProblem("row \(value) comes after row \(rowNumber)") }
      number = value
    }
    guard number <= CellReference.rows else { throw PartProblem("a sheet has more than \(CellReference.rows) rows") }
    rowNumber = number
    (column, hasText, problem, problemCell) = (0, false, nil, 0)
  }

  /// Discards the current row, so that it can be read again.
  mutating func forgetRow() {
    (rowNumber, notes) = (before.row, before.notes)
    errors.removeLast(errors.count - before.errors)
    cells.removeLast(cells.count - firstCell)
    bytes.truncate(to: rowStart)
  }

  mutating func endRow() {
    if hasText || problem != nil {
      rows.append(
        SheetBatch.Row(
          number: rowNumber, firstByte: rowStart, endByte: bytes.count, firstCell: firstCell, endCell: cells.count,
          problem: problem, cell: problemCell))
    } else {
      cells.removeLast(cells.count - firstCell)
      bytes.truncate(to: rowStart)
    }
  }

  // MARK: - Cells

  /// Begins a cell. Values that are nil or empty are missing from its tag.
  @inline(__always)
  mutating func beginCell(
    _ reference: Span<UInt8>?, style declared: Span<UInt8>?, type: Span<UInt8>?
  ) throws {
    (kind, style, hasFormula) = (.number, 0, false)
    column += 1
    if let reference, !reference.isEmpty {
      guard let (declared, row) = CellReference.parse(reference), row == rowNumber else {
        throw PartProblem("'\(shown(reference))' is not a cell in row \(rowNumber)")
      }
      column = declared
    }
    if let declared, !declared.isEmpty { style = CellReference.number(declared) ?? 0 }
    if let type, let first = type.first {
      switch first {
      case 0x73: kind = type.count == 1 ? .shared : .text  // s, str
      case 0x69: kind = .text  // inlineStr
      case 0x62: kind = .boolean
      case 0x65: kind = .error
      case 0x64: kind = .plain  // d: a date as text
      default: kind = .number
      }
    }
    guard column <= CellReference.columns else { throw PartProblem("a sheet has more than 16384 columns") }
    raw.removeAll()
  }

  mutating func endCell() throws {
    if hasFormula {
      notes.formulas += 1
      if raw.count == 0, kind == .number {
        notes.valueless += 1
        if notes.firstValueless == nil { notes.firstValueless = (rowNumber, column) }
      }
    }
    guard raw.count > 0, problem == nil else { return }
    guard column <= SheetPart.columns else {
      problem = .tooManyColumns
      problemCell = column - 1
      return
    }
    try addCell(shared: nil)
  }

  /// Adds a cell with a shared string.
  /// - Returns: false if the cell is not in this row or is beyond the columns that are read; in this case, nothing is
  ///   added.
  @inline(__always)
  mutating func addSharedCell(_ index: Int, column: Int, row: Int) throws -> Bool {
    guard row == rowNumber, column >= 1, column <= SheetPart.columns else { return false }
    self.column = column
    if problem == nil { try addCell(shared: index) }
    return true
  }

  /// Ends the current cell with a value, the number of a shared string, or the collected text.
  @inline(__always)
  private mutating func addCell(shared: Int?) throws {
    let (place, isThere) = placeOfCell()
    let start = bytes.count
    guard !isThere else {
      problem = .doubledCell
      problemCell = column - 1
      return
    }
    if let shared { try appendShared(shared) } else { try appendValue() }
    let length = bytes.count - start
    guard bytes.count - rowStart <= CellLimit.rowBytes else {
      throw PartProblem("a row has more than \(CellLimit.rowBytes) bytes")
    }
    guard length > 0 else { return }
    let cell = SheetBatch.Cell(
      column: UInt32(column - 1), start: UInt32(start - rowStart), length: UInt32(length))
    if place == cells.count { cells.append(cell) } else { cells.insert(cell, at: place) }
    if !hasText { hasText = bytes.bytes.span.extracting(droppingFirst: start).contains { $0 > 0x20 } }
  }

  /// Returns the index for the current cell among the cells of its row, and whether its column already has a cell.
  @inline(__always)
  private func placeOfCell() -> (place: Int, isThere: Bool) {
    let sought = UInt32(column - 1)
    // Programs usually write cells in the order of their columns.
    guard cells.count > firstCell, let last = cells.last, last.column >= sought else { return (cells.count, false) }
    var (low, high) = (firstCell, cells.count)
    while low < high {
      let middle = (low + high) / 2
      if cells[middle].column < sought { low = middle + 1 } else { high = middle }
    }
    return (low, cells[low].column == sought)
  }

  @inline(__always)
  private mutating func appendShared(_ index: Int) throws {
    guard let text = try strings.text(index) else {
      throw PartProblem("the shared string number '\(shown(raw.bytes.span))' does not exist")
    }
    bytes.append(text.span)
  }

  private mutating func appendValue() throws {
    switch kind {
    case .shared:
      try appendShared(CellNumberIndex.parse(raw.bytes.span))
    case .number:
      let format = style < formats.count ? formats[style] : .general
      CellNumber.append(raw.bytes.span, as: format, dates: dates, to: &bytes)
    case .text: CellEscaping.append(raw.bytes.span, to: &bytes)
    case .plain: bytes.append(raw.bytes.span)
    case .boolean:
      let isTrue = raw.bytes.first == 0x31 || raw.bytes.first == 0x74
      if isTrue { bytes.append("TRUE") } else { bytes.append("FALSE") }
    case .error:
      errors.append(SheetBatch.ErrorCell(row: rowNumber, column: column, text: shown(raw.bytes.span)))
    }
  }

  mutating func recordMerged(_ range: Span<UInt8>) {
    guard let colon = range.firstIndex(of: 0x3A),
      let first = CellReference.parse(range.extracting(first: colon)),
      let last = CellReference.parse(range.extracting(droppingFirst: colon + 1)), first.column != last.column
    else { return }
    if notes.merged == 0 { notes.firstMerged = shown(range) }
    notes.merged += 1
  }

  private func shown(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.extracting(first: 40))
  }
}

/// Parses the number of a shared string.
enum CellNumberIndex {
  /// Returns the number in a string of digits; -1 for any other bytes.
  static func parse(_ bytes: Span<UInt8>) -> Int {
    guard !bytes.isEmpty, bytes.count <= 10 else { return -1 }
    var value = 0
    for at in bytes.indices {
      let byte = bytes[at]
      guard byte >= 0x30, byte <= 0x39 else { return -1 }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}

/// Reads rows in the form that nearly all programs write, without the parser.
extension SheetScan {
  /// The reason why reading plain rows stopped.
  enum PlainStop {
    /// The bytes end inside a row.
    case incomplete
    /// The batch is full.
    case full
    /// The next bytes are not a plain row.
    case other
  }

  /// Reads complete rows from bytes that are followed by a zero.
  /// - Returns: the offset of the first byte that was not read, and the reason why reading stopped.
  mutating func scanPlainRows(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (at: Int, PlainStop) {
    var xml = PlainXML(bytes, at: start)
    var taken = start
    while !isFull {
      xml.skipSpace()
      taken = xml.at
      // Bytes that end inside a tag or a reference cannot be distinguished from bytes that are not plain.
      guard scanPlainRow(&xml) else { return (taken, end - xml.at < 64 ? .incomplete : .other) }
      taken = xml.at
    }
    return (taken, .full)
  }

  /// - Returns: false if the row is not plain, or has an error that the parser must report. In this case, no part of
  ///   the row is kept.
  private mutating func scanPlainRow(_ xml: inout PlainXML) -> Bool {
    guard xml.accept("<row"), let tag = xml.tag() else { return false }
    do {
      try beginRow(tag.r.map(xml.bytes)?.span)
      if !tag.isEmpty {
        xml.skipSpace()
        while !xml.accept("</row>") {
          guard try scanSharedCell(&xml) || scanPlainCell(&xml) else {
            forgetRow()
            return false
          }
          xml.skipSpace()
        }
      }
    } catch {
      forgetRow()
      return false
    }
    endRow()
    return true
  }

  /// Reads a cell in the usual form that refers to a shared string.
  /// - Returns: false if the cell has a different form; in this case, nothing is skipped.
  @inline(__always)
  private mutating func scanSharedCell(_ xml: inout PlainXML) throws -> Bool {
    guard let cell = xml.sharedCell(), try addSharedCell(cell.index, column: cell.column, row: cell.row) else {
      return false
    }
    xml.skip(to: cell.end)
    return true
  }

  @inline(__always)
  private mutating func scanPlainCell(_ xml: inout PlainXML) throws -> Bool {
    guard xml.accept("<c"), let tag = xml.tag() else { return false }
    try beginCell(tag.r.map(xml.bytes)?.span, style: tag.s.map(xml.bytes)?.span, type: tag.t.map(xml.bytes)?.span)
    if !tag.isEmpty {
      xml.skipSpace()
      while !xml.accept("</c>") {
        guard try scanPlainContent(&xml) else { return false }
        xml.skipSpace()
      }
    }
    try endCell()
    return true
  }

  @inline(__always)
  private mutating func scanPlainContent(_ xml: inout PlainXML) throws -> Bool {
    if xml.accept("<v>") {
      guard try appendPlain(&xml) else { return false }
      return xml.accept("</v>")
    }
    if xml.accept("<is>") {
      xml.skipSpace()
      while xml.accept("<t") {
        guard let tag = xml.tag() else { return false }
        if !tag.isEmpty {
          guard try appendPlain(&xml), xml.accept("</t>") else { return false }
        }
        xml.skipSpace()
      }
      return xml.accept("</is>")
    }
    guard xml.accept("<f"), let tag = xml.tag() else { return xml.accept("<v/>") || xml.accept("<v />") }
    hasFormula = true
    if tag.isEmpty { return true }
    // The formula is not used, but it must be well formed.
    var formula = ByteBuffer(capacity: 64)
    return xml.text(into: &formula) && xml.accept("</f>")
  }
}

/// Reads a sheet such as `xl/worksheets/sheet1.xml` and sends its rows in batches. Reading a cell does not allocate
/// memory.
///
/// - Source: ECMA-376 part 1, 18.3
final class SheetPart: PlainPart {
  /// The maximum number of columns that are read. FleetKit's tables do not have more columns, and reading them would
  /// waste time.
  static let columns = 1024
  static let plainStart = "<sheetData>"
  static let plainEnd: String? = nil

  private enum State: UInt8 { case outside, data, row, cell, value, inline, inlineText, formula }

  /// Features of the sheet that are not imported.
  var notes: SheetNotes { scan.notes }
  /// The number of archive bytes that were read. The caller sets this value.
  var packed = 0

  private var scan: SheetScan
  private let send: (SheetBatch) throws -> Void
  private var state = State.outside
  /// The number of open elements that are ignored.
  private var skipped = 0
  private var depth = 0

  init(
    formats: [CellFormat], dates: SerialDate, strings: consuming SharedStringCursor,
    send: @escaping (SheetBatch) throws -> Void
  ) {
    scan = SheetScan(formats: formats, dates: dates, strings: strings)
    self.send = send
  }

  /// Sends the remaining rows.
  func finish() throws { try send(scan.finishBatch(packed: packed)) }

  /// Whether the parser has reached the rows.
  var isAtPlain: Bool { state == .data && skipped == 0 }

  /// Reads plain rows from bytes that are followed by a zero, and sends batches.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside a row.
  func scanPlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool) {
    var at = 0
    while true {
      let (taken, stop) = scan.scanPlainRows(bytes, from: at, to: count)
      at = taken
      guard stop == .full else { return (at, stop == .incomplete) }
      try send(scan.finishBatch(packed: packed))
    }
  }

  func passOver() {}

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    if skipped > 0 {
      skipped += 1
      return
    }
    let name = name.local
    switch state {
    case .row where name.is("c"):
      var cell: (r: UnsafeBufferPointer<UInt8>?, s: UnsafeBufferPointer<UInt8>?, t: UnsafeBufferPointer<UInt8>?)
      for (name, value) in attributes {
        if name.is("r") {
          cell.r = value
        } else if name.is("s") {
          cell.s = value
        } else if name.is("t") {
          cell.t = value
        }
      }
      try scan.beginCell(cell.r?.span, style: cell.s?.span, type: cell.t?.span)
      state = .cell
    case .cell where name.is("v"): state = .value
    case .cell where name.is("is"): state = .inline
    case .cell where name.is("f"):
      scan.hasFormula = true
      state = .formula
    case .data where name.is("row"):
      try scan.beginRow(attributes["r"]?.span)
      state = .row
    case .inline where name.is("t"): state = .inlineText
    case .inline where name.is("r"): break
    case .outside:
      depth += 1
      if depth == 1, !name.is("worksheet") { throw PartProblem("not a sheet") }
      if depth == 2, name.is("sheetData") { state = .data }
      if name.is("mergeCell"), let range = attributes["ref"] { scan.recordMerged(range.span) }
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
      try scan.endCell()
      state = .row
    case .row:
      scan.endRow()
      if scan.isFull { try send(scan.finishBatch(packed: packed)) }
      state = .data
    case .inlineText: state = .inline
    case .inline: if name.local.is("is") { state = .cell }
    case .data:
      state = .outside
      depth -= 1
    case .outside: depth -= 1
    }
  }

  func text(_ bytes: Span<UInt8>) throws {
    guard state == .value || state == .inlineText, skipped == 0 else { return }
    try scan.append(bytes)
  }
}

/// Features of a sheet that are not imported.
struct SheetNotes: Sendable {
  /// The number of cells with formulas.
  var formulas = 0
  /// The number of formulas without a saved value.
  var valueless = 0
  /// The first formula without a saved value.
  var firstValueless: (row: Int, column: Int)?
  /// The number of merged ranges that span columns.
  var merged = 0
  /// The first of these ranges, as the sheet spells it.
  var firstMerged = ""
}
