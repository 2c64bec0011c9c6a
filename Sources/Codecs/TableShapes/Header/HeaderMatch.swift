import Interchange

/// Finds out what a table's columns mean, by `--map`, by the names that FleetKit writes, then loosely.
package struct HeaderMatch: Sendable {
  private let shape: TableShape?
  private let map: [Mapped]
  private let key: String?

  /// What `--map` says of a header.
  private struct Mapped: Sendable {
    let header: String
    /// The column; empty where the header is left out.
    let name: String
    let folded: String

    init(header: String, name: String) {
      self.header = header
      self.name = name
      folded = HeaderFold.fold(header)
    }
  }

  /// Takes what the user says about headers.
  /// - Throws: `RunFailure` with status 64 for a column or a shape that there is none of.
  package init(_ options: TableOptions) throws {
    shape = try Self.shape(named: options.shape)
    map = try options.map.map { header, name in
      guard name.isEmpty || HeaderVocabulary.column(named: name) != nil else {
        throw RunFailure(
          .usage, "there is no column '\(name)' for --map '\(header)=\(name)'",
          advice: "Columns are: \(TableColumn.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return Mapped(header: header, name: name)
    }
    key = options.key.map(HeaderFold.fold)
  }

  /// The shape of a name; nil for none.
  /// - Throws: `RunFailure` with status 64 for a shape that there is none of.
  static func shape(named name: String?) throws -> TableShape? {
    guard let name else { return nil }
    if let shape = TableShape(rawValue: name.lowercased()) { return shape }
    throw RunFailure(
      .usage, "there is no shape '\(name)'",
      advice: "Shapes are: \(TableShape.allCases.map(\.rawValue).joined(separator: ", ")).")
  }

  /// What a row means as a header; nil when it is none.
  package func layout(_ headers: [String]) -> TableLayout? {
    let shapes = shape.map { [$0] } ?? TableShape.allCases
    let found = shapes.map { layout(headers, as: $0) }.filter(isWhole)
    // Of equals the first: steps are what most tables hold.
    return found.max { score($0) < score($1) || (score($0) == score($1) && rank($0) > rank($1)) }
  }

  private func rank(_ layout: TableLayout) -> Int { TableShape.allCases.firstIndex(of: layout.shape) ?? 0 }

  /// Whether the columns are there without which a shape is none.
  private func isWhole(_ layout: TableLayout) -> Bool {
    switch layout.shape {
    case .steps: layout.has(.item)
    case .cards: layout.has(.front) && layout.has(.back)
    // Titles without documents may be anything; who says `--shape catalogue` wants to change what they say of items.
    case .catalogue: layout.has(.title) && (layout.has(.document) || shape == .catalogue)
    }
  }

  /// How much of the header a shape explains; what only steps have counts more.
  private func score(_ layout: TableLayout) -> Int {
    let telling: Set<TableColumn> = [.checklist, .section, .required, .optional, .front, .back, .document]
    return layout.cells.keys.reduce(0) { $0 + (telling.contains($1) ? 3 : 1) }
  }

  private func layout(_ headers: [String], as shape: TableShape) -> TableLayout {
    var layout = TableLayout(
      shape: shape, headers: headers, cells: [:], unknown: [], doubled: [], leftOut: [], key: nil)
    let folded = headers.map(HeaderFold.fold)
    var open = Set(headers.indices.filter { !folded[$0].isEmpty })
    if let key { layout.key = folded.firstIndex(of: key) }
    for entry in map {
      let column = HeaderVocabulary.column(named: entry.name, in: shape)
      for cell in headers.indices where open.contains(cell) && folded[cell] == entry.folded {
        if let column, layout.cells[column] == nil {
          layout.cells[column] = cell
          open.remove(cell)
        } else if entry.name.isEmpty {
          layout.leftOut.append(cell)
          open.remove(cell)
        }
      }
    }
    func take(_ cell: Int, _ columns: [TableColumn]) {
      guard let column = columns.first(where: { layout.cells[$0] == nil }) else { return }
      layout.cells[column] = cell
      open.remove(cell)
    }
    for column in HeaderVocabulary.allColumns(of: shape) where layout.cells[column] == nil {
      let name = HeaderFold.fold(column.rawValue)
      if let cell = headers.indices.first(where: { open.contains($0) && folded[$0] == name }) { take(cell, [column]) }
    }
    for isStrong in [true, false] {
      for cell in headers.indices where open.contains(cell) {
        if let entry = HeaderVocabulary.entry(folded[cell], in: shape), entry.isStrong == isStrong {
          take(cell, entry.columns)
        }
      }
    }
    for cell in open.sorted() where cell != layout.key {
      if let column = HeaderVocabulary.entry(folded[cell], in: shape)?.columns.first {
        layout.doubled.append((cell, column))
      } else {
        layout.unknown.append(cell)
      }
    }
    return layout
  }

  /// Stops where `--map` names a column that no table with the header takes: what was said must not be passed over.
  /// - Throws: `RunFailure` with status 64, which lists what can be taken.
  package func check(_ layouts: [TableLayout]) throws {
    for entry in map where !entry.name.isEmpty {
      let tables = layouts.filter { $0.headers.contains { HeaderFold.fold($0) == entry.folded } }
      guard let table = tables.first, !tables.contains(where: { takes(entry, $0) }) else { continue }
      let option = "--map '\(entry.header)=\(entry.name)'"
      guard let column = HeaderVocabulary.column(named: entry.name, in: table.shape) else {
        let names = HeaderVocabulary.allColumns(of: table.shape).map(\.rawValue).joined(separator: ", ")
        throw RunFailure(
          .usage, "\(option): a table of \(table.shape.rawValue) has no column '\(entry.name)'",
          advice: "It takes: \(names)." + Self.hint(entry.name, table.shape))
      }
      let other = table.cells[column].map(table.header) ?? ""
      throw RunFailure(
        .usage, "\(option): '\(other)' is \(column.rawValue) already", advice: "Map one header to each column.")
    }
  }

  /// Whether a table has a column where `--map` wants it.
  private func takes(_ entry: Mapped, _ table: TableLayout) -> Bool {
    guard let column = HeaderVocabulary.column(named: entry.name, in: table.shape), let cell = table.cells[column],
      table.headers.indices.contains(cell)
    else { return false }
    return HeaderFold.fold(table.headers[cell]) == entry.folded
  }

  /// Which of two columns is meant where one word fits both.
  private static func hint(_ name: String, _ shape: TableShape) -> String {
    guard HeaderFold.fold(name) == HeaderFold.fold(TableColumn.description.rawValue) else { return "" }
    return switch shape {
    case .steps: " What describes a step is 'details', what describes its checklist 'checklist_description'."
    case .cards: " What describes a deck is 'deck_description'."
    case .catalogue: ""
    }
  }

  /// Names of `--map` and `--key` that none of the headers is.
  package func unused(in headers: [[String]]) -> (map: [Int], key: Bool) {
    let all = Set(headers.joined().map(HeaderFold.fold))
    return (map.indices.filter { !all.contains(map[$0].folded) }, key.map { !all.contains($0) } ?? false)
  }
}
