import Diagnostics
import Interchange
import JSONText

/// Says what the headers of a source's tables were taken for, and what is wrong with them.
struct HeaderReport {
  let tables: [SourceTable]
  let findings: DiagnosticLog

  init(_ tables: [SourceTable], findings: DiagnosticLog) {
    self.tables = tables
    self.findings = findings
  }

  /// Stops where `--map` or `--key` name headers that no table has: a misspelled one would change what is read.
  /// - Throws: `RunFailure` with status 64.
  func check(_ options: TableOptions, _ unused: (map: [Int], key: Bool)) throws {
    let seen = "The header is in the first row, or in one of the ten below."
    if let index = unused.map.first, options.map.indices.contains(index) {
      let entry = options.map[index]
      throw RunFailure(
        .usage, "no table has the header '\(entry.header)' of --map '\(entry.header)=\(entry.column)'", advice: seen)
    }
    if unused.key, let key = options.key {
      throw RunFailure(.usage, "no table has the header '\(key)' of --key", advice: seen)
    }
  }

  /// Reports every header.
  /// - Parameter shape: what rows were said to stand for; nil to find out.
  /// - Throws: `RunFailure` when there is none at all.
  func report(_ searches: [TableHeader.Search], shape: TableShape? = nil) throws {
    let hasAny = searches.contains { $0.found != nil }
    for (table, search) in zip(tables, searches) {
      if let header = search.found {
        report(header, table)
      } else if hasAny, let first = search.first {
        let place = table.places.place(row: first.row, cell: nil, part: nil)
        findings.report(
          Diagnostic(
            .sheetLeftOut, "the sheet '\(table.sheet ?? "")' has no header that FleetKit understands", at: place.place,
            excerpt: place.excerpt))
      }
    }
    if hasAny { return }
    guard let (table, first) = zip(tables, searches).first(where: { $1.first != nil }).map({ ($0, $1.first) }),
      let first
    else {
      guard let table = tables.first else { return }
      throw RunFailure(
        .noTableHeader, "the table is empty", at: Place(file: table.places.file, line: 1, column: 1),
        advice: "Give it a header and rows.")
    }
    let place = table.places.place(row: first.row, cell: nil, part: nil).place
    let names = first.cells.filter { !$0.isEmpty }.prefix(12).map { "'\(CellText.shown($0))'" }.joined(separator: ", ")
    throw RunFailure(
      .failed,
      Diagnostic(
        .noTableHeader, "no header is found in the first rows; the first one has \(names)", at: place,
        fix: isUncut(first.cells, table)
          ? "say what separates the cells with --delimiter" : fix(first.cells.first { !$0.isEmpty }, shape)))
  }

  /// Whether a row of text is one cell that looks like many.
  private func isUncut(_ cells: [String], _ table: SourceTable) -> Bool {
    guard table.sheet == nil, cells.count == 1 else { return false }
    return [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")].contains { sign in
      cells[0].utf8.count { $0 == sign } > 1
    }
  }

  /// What to do about a header that is none, or none of the shape that was asked for.
  private func fix(_ header: String?, _ shape: TableShape?) -> String {
    let example =
      "--map '\(header.flatMap { CellText.shown($0) == $0 ? $0 : nil } ?? "Header")=\(HeaderVocabulary.needed(by: shape ?? .steps)[0].rawValue)'"
    guard let shape else { return "say what the columns are, for example \(example)" }
    let needed = HeaderVocabulary.needed(by: shape).map { "'\($0.rawValue)'" }
    let others = HeaderVocabulary.columns(of: shape).map { "'\($0.rawValue)'" }.filter { !needed.contains($0) }
    return "a table of \(shape.rawValue) needs \(needed.count == 1 ? "the header" : "the headers") "
      + needed.joined(separator: " and ") + ", and may have \(others.joined(separator: ", ")); "
      + "or say what the columns are, for example \(example)"
  }

  /// Says that a table has nothing below its header.
  func reportEmpty(_ table: SourceTable, _ header: TableHeader) {
    let place =
      table.sheet == nil
      ? Place(file: table.places.file) : table.places.place(row: header.row, cell: nil, part: nil).place
    findings.report(Diagnostic(.tableWithoutRows, "the table has a header and no rows", at: place))
  }

  /// Of how many columns the exact place is looked for: each time the header is read up to the column, so the places of
  /// all columns would cost the square of their number. The others get the place of the header.
  private static let located = 256

  private func report(_ header: TableHeader, _ table: SourceTable) {
    let layout = header.layout
    func place(_ cell: Int?) -> (Place, String?) {
      let found = table.places.place(row: header.row, cell: cell, part: nil)
      return (found.place, found.excerpt)
    }
    let taken = layout.cells.sorted { $0.value < $1.value }
    let loose = taken.filter { !layout.headers[$0.value].utf8.elementsEqual($0.key.rawValue.utf8) }
    if !loose.isEmpty {
      let noun = layout.shape == .steps ? "steps" : layout.shape == .cards ? "cards" : "items"
      let words = taken.map { "'\(layout.header($0.value))' as \($0.key.rawValue)" }.joined(separator: ", ")
      let (place, excerpt) = place(nil)
      findings.report(Diagnostic(.columnsRead, "its rows are \(noun): \(words)", at: place, excerpt: excerpt))
    }
    for (number, cell) in layout.unknown.enumerated() {
      let (place, excerpt) = place(number < Self.located ? cell : nil)
      findings.report(
        Diagnostic(
          .unreadColumn, "the column '\(layout.header(cell))' means nothing to FleetKit and is not read", at: place,
          excerpt: excerpt))
    }
    for (number, (cell, column)) in layout.doubled.enumerated() {
      let (place, excerpt) = place(number < Self.located ? cell : nil)
      let other = layout.cells[column].map(layout.header) ?? column.rawValue
      findings.report(
        Diagnostic(
          .doubledColumn,
          "'\(layout.header(cell))' would be \(column.rawValue), as '\(other)' is already; it is not read",
          at: place, excerpt: excerpt))
    }
  }
}
