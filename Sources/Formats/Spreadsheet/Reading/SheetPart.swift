import Interchange
import JSONText
import XMLStream

/// Reads a sheet such as `xl/worksheets/sheet1.xml` and sends its rows in batches. Reading a cell does not allocate
/// memory.
///
/// - Source: ECMA-376 part 1, 18.3
final class SheetPart: PlainPart {
  /// The maximum number of columns that are read. FleetKit's tables do not have more columns, and reading them would
  /// waste time.
  static let columns = 1024
  static let plainStart = "<sheetData>"
  static let plainEnd: StaticString? = nil

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
  func finish() throws { try send(scan.takeBatch(packed: packed)) }

  /// Whether the parser has reached the rows.
  var isAtPlain: Bool { state == .data && skipped == 0 }

  /// Reads plain rows from bytes that are followed by a zero, and sends batches.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside a row.
  func takePlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool) {
    var at = 0
    while true {
      let (taken, stop) = scan.takePlainRows(bytes, from: at, to: count)
      at = taken
      guard stop == .full else { return (at, stop == .incomplete) }
      try send(scan.takeBatch(packed: packed))
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
      try scan.beginCell(cell.r, style: cell.s, type: cell.t)
      state = .cell
    case .cell where name.is("v"): state = .value
    case .cell where name.is("is"): state = .inline
    case .cell where name.is("f"):
      scan.hasFormula = true
      state = .formula
    case .data where name.is("row"):
      try scan.beginRow(attributes["r"])
      state = .row
    case .inline where name.is("t"): state = .inlineText
    case .inline where name.is("r"): break
    case .outside:
      depth += 1
      if depth == 1, !name.is("worksheet") { throw PartProblem("not a sheet") }
      if depth == 2, name.is("sheetData") { state = .data }
      if name.is("mergeCell"), let range = attributes["ref"] { scan.noteMerged(range) }
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
      if scan.isFull { try send(scan.takeBatch(packed: packed)) }
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
    try scan.append(bytes)
  }
}
