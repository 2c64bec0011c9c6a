import Content

/// The meaning of the columns in one table.
package struct TableLayout: Sendable {
  /// The kind of value that a row represents.
  package var shape: TableShape
  /// The header's cells as written.
  package var headers: [String]
  /// The indices of the cells, from 0, keyed by their meaning.
  package var cells: [TableColumn: Int]
  /// The cells whose headers are not recognized.
  package var unknown: [Int]
  /// The cells with the same meaning as an earlier cell.
  package var doubled: [(cell: Int, column: TableColumn)]
  /// The cells that `--map` leaves out.
  package var leftOut: [Int]
  /// The cell that `--key` names; nil if `--key` is not used.
  package var key: Int?
  /// The columns of a step table that do not correspond to a member, in the order of their cells. Their cells become
  /// lines of the details.
  var kept: [CustomColumn] = []
  /// Whether the table has no header, so that its column numbers are used as headers.
  var isHeaderless = false
  /// Whether a cell of the minutes column is kept as text although the table has no details column.
  var keepsMinutes = false

  /// The unit of the minutes column.
  var minuteUnit: MinuteUnit { MinuteUnit(header: cells[.minutes].map { headers[$0] } ?? TableColumn.minutes.rawValue) }

  /// Determines which columns are kept as lines of the details. Call it when all other columns are known.
  mutating func determineKeptColumns() {
    guard shape == .steps else { return }
    kept = []
    let unit = minuteUnit
    if let cell = cells[.minutes], !unit.isStrict {
      kept.append(
        CustomColumn(
          cell: cell, name: CustomColumn.name(headers[cell], cell: cell), kind: .minutes(unit), isNamed: true))
    }
    let taken = Set(cells.values).union(leftOut)
    func name(_ cell: Int) -> [UInt8] { CustomColumn.name(isHeaderless ? "" : headers[cell], cell: cell) }
    for cell in headers.indices where !taken.contains(cell) && cell != key {
      let isTicks = HeaderVocabulary.isTicks(HeaderFold.fold(headers[cell]))
      kept.append(
        CustomColumn(
          cell: cell, name: name(cell), kind: isTicks ? .ticks : .text,
          isNamed: !headers[cell].isEmpty && !isHeaderless))
    }
  }

  /// Returns the cell of a column, or -1 if it is missing. A row returns empty text for cell -1.
  package func cell(_ column: TableColumn) -> Int { cells[column] ?? -1 }

  /// Returns whether the table has a column.
  package func has(_ column: TableColumn) -> Bool { cells[column] != nil }

  /// Returns a cell's header for messages.
  package func header(_ cell: Int) -> String {
    headers.indices.contains(cell) ? CellScanner.shown(headers[cell]) : "column \(cell + 1)"
  }

  /// Whether FleetKit wrote the table, judging by its id columns. If so, its texts are read unchanged.
  package var isExact: Bool {
    func isOurs(_ column: TableColumn) -> Bool {
      cells[column].map { header($0).utf8.elementsEqual(column.rawValue.utf8) } ?? false
    }
    switch shape {
    case .steps: return isOurs(.itemID)
    case .cards: return isOurs(.cardID)
    // Other programs may also name a column 'id'.
    case .catalogue: return isOurs(.id) && isOurs(.created) && isOurs(.updated)
    case .charters: return isOurs(.charterID)
    }
  }

  // MARK: Members

  /// Returns the column for a member of a step or card, or nil if the member has no column.
  func stepColumn(_ member: String) -> TableColumn? {
    (shape == .cards ? Shapes.card : Shapes.checklistItem).member(member)?.tableColumn
  }

  /// Returns the column for a member of an item or its document, or nil if the member has no column.
  func itemColumn(_ member: String) -> TableColumn? {
    switch (member, shape) {
    case ("id", .steps): .checklistID
    case ("id", .cards): .deckID
    case ("id", .catalogue): .id
    case ("title", .steps): .checklist
    case ("title", .cards): .deck
    case ("title", .catalogue): .title
    case ("description", .steps): .checklistDescription
    case ("description", .cards): .deckDescription
    case ("description", .catalogue): .description
    case ("tags", .steps): .checklistTags
    case ("tags", .cards): .deckTags
    case ("tags", .catalogue): .tags
    case ("content_type", .catalogue): .type
    case ("checklistType", .steps): .type
    case ("id", .charters): .charterID
    case ("name", .charters): .charter
    case ("boat_name", .charters): .boat
    case ("location", .charters): .location
    case ("start_date", .charters): .start
    case ("end_date", .charters): .end
    case ("createdAt", _): .created
    case ("updatedAt", _): .updated
    case ("markdown", .catalogue): .document
    default: Shapes.item.member(member)?.tableColumn
    }
  }

  /// Whether the details also come from columns other than the details column.
  private var fillsDetails: Bool {
    keepsMinutes
      || kept.contains {
        if case .minutes = $0.kind { false } else { $0.isNamed }
      }
  }

  /// The members that a table with these columns can express. They do not include sort numbers, because the order of
  /// the rows is used instead.
  package var saidMembers: FieldCoverage {
    func fields(_ members: [String], _ column: (String) -> TableColumn?) -> Set<String> {
      Set(members.filter { column($0).map(has) ?? false })
    }
    let item = fields(
      ["id", "title", "description", "tags", "language", "created_at", "updated_at"]
        + TableColumn.lineage.map(\.rawValue), itemColumn
    ).union(["kind", "content_type", "content_data"])
    switch shape {
    case .steps:
      return FieldCoverage(
        item: item, document: fields(["checklistType"], itemColumn).union(["sections"]),
        section: Set(has(.section) ? ["id", "title", "items"] : ["items"]),
        step: fields(Shapes.checklistItem.tableMembers, stepColumn).union(
          fillsDetails ? ["id", "itemDescription"] : ["id"]))
    case .cards:
      return FieldCoverage(
        item: item, document: ["cards"], section: [],
        step: fields(Shapes.card.tableMembers, stepColumn).union(["id"]))
    case .charters:
      return FieldCoverage(
        item: fields(
          ["id", "name", "boat_name", "location", "start_date", "end_date", "created_at", "updated_at"], itemColumn
        )
        .union(["kind"]), document: [], section: [], step: [])
    case .catalogue:
      let hasDocument = has(.document)
      return FieldCoverage(
        item: hasDocument ? item : item.subtracting(has(.type) ? ["content_data"] : ["content_data", "content_type"]),
        document: hasDocument ? ["sections", "cards", "markdown", "checklistType"] : [],
        section: hasDocument ? Set(Shapes.checklistSection.members.map(\.nameText)) : [],
        step: hasDocument ? Set(Shapes.checklistItem.members.map(\.nameText) + Shapes.card.members.map(\.nameText)) : []
      )
    }
  }
}

extension ShapeMember {
  /// The column for the member, which is the same in every table shape.
  var tableColumn: TableColumn? { field.tableColumn.flatMap(TableColumn.init(rawValue:)) }
}

extension Shape {
  /// The members for which tables have a column.
  var tableMembers: [String] { members.filter { $0.tableColumn != nil }.map(\.nameText) }
}
