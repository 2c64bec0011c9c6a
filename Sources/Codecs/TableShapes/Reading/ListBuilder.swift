import Content
import Diagnostics
import Interchange
import JSONText

/// Makes canonical records of the rows of one table, a checklist or a deck at a time.
///
/// Bytes go from cells to lines; nothing is allocated for a row that is as it should be. Memory is bounded by the
/// largest checklist.
struct ListBuilder: ~Copyable {
  /// A section that the rows so far have.
  struct Section {
    var title: Range<Int>
    var id: UUIDBits?
    var count = 0
    /// Whether a row that can be used speaks of it.
    var isSaid = false
    var row: BatchRows.Row
  }

  /// A step or card that the rows so far have.
  struct Step {
    var section: Int
    var text: Range<Int>
    var row: BatchRows.Row
  }

  let layout: TableLayout
  let scope: TableScope
  let isDeck: Bool
  /// Whether texts are taken as they stand.
  let isExact: Bool
  let titleCell: Int
  let itemIDCell: Int
  let listIDCell: Int
  let listTitleCell: Int
  let sectionCell: Int
  let sectionIDCell: Int
  let requiredCell: Int
  let optionalCell: Int
  let minutesCell: Int
  let tagsCell: Int
  let detailsCell: Int
  let backCell: Int
  let hintCell: Int
  /// The cell that tells rows apart by `--key`; -1 for none.
  let rowKeyCell: Int

  // The group
  var itemID = UUIDBits(high: 0, low: 0)
  var hasGroup = false
  var firstRow: BatchRows.Row?
  /// Which of the rows below the header the current one is, from 1.
  var ordinal = 0
  var title = ByteBuffer(capacity: 256)
  var isTitleSet = false
  var isTitleReported = false
  var groupProblem: RowProblem?
  var language: GroupCell
  /// How many items were taken for a language by the letters of their titles.
  var languages: [String: Int] = [:]
  var description: GroupCell
  var tags: GroupCell
  var type: GroupCell
  var created: GroupCell
  var updated: GroupCell
  var lineage: LineageCells
  var isPartial = false
  /// Whether rows were lost that may belong to any item.
  var isAlwaysPartial = false
  var hasRejects = false
  /// The rows that the item goes on without, and those that any item may have lost.
  var lost: [BatchRows.Lost] = []
  var lostOfAny: [BatchRows.Lost] = []
  /// The step before, for rows that are read again.
  var lastID: UUIDBits?

  // Its sections and steps
  var names = ByteBuffer(capacity: 1024)
  var sections: [Section] = []
  var steps: [Step] = []
  var text = ByteBuffer(capacity: 1 << 16)
  var current = -1
  var isInterleaved = false
  var lastSection = ByteBuffer(capacity: 256)
  var lastSectionID = ByteBuffer(capacity: 64)
  var sectionsByTitle: [KeyHash: Int] = [:]
  var sectionsByID: [UUIDBits: Int] = [:]
  var ids = IDTable()
  var deriver = IDDeriver()
  /// How much of the deriver's name is the same for all steps of the section; 0 when it has to be written first.
  var sectionMark = 0
  /// Ids that are nearly UUIDs.
  var nearlyIDs = NearlyIDs()
  /// What has to be said of the group's id, with its first row.
  var idProblem: RowProblem?
  /// What the last row has to say.
  var problems: [RowProblem] = []

  init(_ layout: TableLayout, scope: TableScope, rowKey: Int) {
    self.layout = layout
    self.scope = scope
    isDeck = layout.shape == .cards
    isExact = layout.isExact
    titleCell = layout.cell(isDeck ? .front : .item)
    itemIDCell = layout.cell(isDeck ? .cardID : .itemID)
    listIDCell = layout.cell(isDeck ? .deckID : .checklistID)
    listTitleCell = layout.cell(isDeck ? .deck : .checklist)
    sectionCell = isDeck ? -1 : layout.cell(.section)
    sectionIDCell = isDeck ? -1 : layout.cell(.sectionID)
    requiredCell = layout.cell(.required)
    optionalCell = layout.cell(.optional)
    minutesCell = layout.cell(.minutes)
    tagsCell = layout.cell(.tags)
    detailsCell = layout.cell(.details)
    backCell = layout.cell(.back)
    hintCell = layout.cell(.hint)
    rowKeyCell = rowKey
    language = GroupCell(layout.cell(.language))
    description = GroupCell(layout.cell(isDeck ? .deckDescription : .checklistDescription))
    tags = GroupCell(layout.cell(isDeck ? .deckTags : .checklistTags))
    type = GroupCell(isDeck ? -1 : layout.cell(.type))
    created = GroupCell(layout.cell(.created))
    updated = GroupCell(layout.cell(.updated))
    lineage = LineageCells(layout)
  }

  /// About how many bytes the item has as JSON so far.
  var size: Int { text.count + names.count + sections.count * 128 }

  // MARK: The group

  /// Begins the checklist or deck that a row is the first of.
  /// - Parameter id: the id where another row says it.
  mutating func begin(_ row: borrowing TableRow, anchor: GroupTracker.Anchor, key: Int, id: [UInt8]?) {
    hasGroup = true
    firstRow = BatchRows.Row(row, ordinal: ordinal)
    title.removeAll()
    isTitleSet = false
    isTitleReported = false
    groupProblem = nil
    language.begin()
    description.begin()
    tags.begin()
    type.begin()
    created.begin()
    updated.begin()
    lineage.begin()
    isPartial = scope.isPartial || isAlwaysPartial
    hasRejects = false
    lost = lostOfAny
    lastID = nil
    names.removeAll()
    sections.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    text.removeAll()
    current = -1
    isInterleaved = false
    lastSection.removeAll()
    lastSectionID.removeAll()
    if !sectionsByTitle.isEmpty { sectionsByTitle = [:] }
    if !sectionsByID.isEmpty { sectionsByID = [:] }
    ids.removeAll()
    sectionMark = 0
    if let id {
      id.withUnsafeBufferPointer { identify($0, isID: true) }
    } else {
      switch anchor {
      case .id: identify(CellText.trimmed(row.text(listIDCell)), isID: true)
      case .key: identify(CellText.trimmed(row.text(key)), isID: false)
      case .title: identify(CellText.trimmed(row.text(listTitleCell)), isID: false)
      }
    }
  }

  private mutating func identify(_ said: UnsafeBufferPointer<UInt8>, isID: Bool) {
    if isID {
      if let id = UUIDBits(said) {
        itemID = id
        return
      }
      if Self.looksLikeID(said) {
        groupProblem = badID(listIDCell, said)
      } else {
        idProblem = nearlyIDs.take(said, cell: listIDCell, layout)
      }
    }
    scope.begin(&deriver, kind: isDeck ? "deck" : "checklist")
    deriver.add(said)
    itemID = deriver.id()
  }

  /// Whether a text was meant to be a UUID and is none: one that was cut, or won a letter. Words with dashes are names.
  static func looksLikeID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 30, text.count <= 40, text.contains(0x2D) else { return false }
    var others = 0
    for byte in text where byte != 0x2D && byte &- 0x30 >= 10 {
      guard (byte | 0x20) &- 0x61 < 26 else { return false }
      if (byte | 0x20) &- 0x61 >= 6 { others += 1 }
    }
    return others <= 2
  }

  func badID(_ cell: Int, _ text: UnsafeBufferPointer<UInt8>) -> RowProblem {
    RowProblem(
      .cellValue, "'\(layout.header(cell))' says '\(CellText.shown(text))', which is no id", cell: cell)
  }

  /// Takes what a row says of its whole checklist or deck.
  @inline(__always)
  mutating func takeGroupCells(_ row: borrowing TableRow) {
    let rowTitle = CellText.trimmed(row.text(listTitleCell))
    if !rowTitle.isEmpty {
      if !isTitleSet {
        title.append(isExact ? row.text(listTitleCell) : rowTitle)
        isTitleSet = true
      } else if !isTitleReported, !CellText.same(rowTitle, CellText.trimmed(title.bytes)) {
        isTitleReported = true
        differs(listTitleCell, rowTitle)
      }
    }
    let rowLanguage = CellText.trimmed(row.text(language.cell))
    if !rowLanguage.isEmpty { take(language: rowLanguage) }
    if description.cell >= 0 { takeDescription(row) }
    if tags.cell >= 0 { takeTags(row) }
    let rowType = CellText.trimmed(row.text(type.cell))
    if !rowType.isEmpty { take(type: rowType) }
    let rowCreated = CellText.trimmed(row.text(created.cell))
    if !rowCreated.isEmpty { Self.take(time: rowCreated, &created, layout, &problems) }
    let rowUpdated = CellText.trimmed(row.text(updated.cell))
    if !rowUpdated.isEmpty { Self.take(time: rowUpdated, &updated, layout, &problems) }
    if lineage.isThere { lineage.take(row, layout, &problems) }
  }

  private mutating func takeDescription(_ row: borrowing TableRow) {
    let text = isExact ? row.text(description.cell) : CellText.trimmed(row.text(description.cell))
    switch description.look(text) {
    case .nothing: return
    case .other: differs(description.cell, text)
    case .first: description.set(text) { $0.appendJSONString(text) }
    }
  }

  private mutating func takeTags(_ row: borrowing TableRow) {
    let text = CellText.trimmed(row.text(tags.cell))
    switch tags.look(text) {
    case .nothing: return
    case .other: differs(tags.cell, text)
    case .first: tags.set(text) { CellTags.append(text, into: &$0) }
    }
  }

  private mutating func take(language text: UnsafeBufferPointer<UInt8>) {
    switch language.look(text) {
    case .nothing: return
    case .other: differs(language.cell, text)
    case .first:
      guard let code = CellValue.language(text) else {
        return problem(language.cell, text, "which is no language's code, as 'en' and 'ru' are")
      }
      language.set(text) { $0.appendJSONString(code) }
    }
  }

  private mutating func take(type text: UnsafeBufferPointer<UInt8>) {
    switch type.look(text) {
    case .nothing: return
    case .other: differs(type.cell, text)
    case .first:
      guard let word = CellValue.checklistType(text) else {
        return problem(
          type.cell, text,
          "which is no type of a checklist; types are \(CellValue.checklistTypes.joined(separator: ", "))")
      }
      type.set(text) { $0.appendJSONString(word) }
    }
  }

  private static func take(
    time text: UnsafeBufferPointer<UInt8>, _ cell: inout GroupCell, _ layout: TableLayout,
    _ problems: inout [RowProblem]
  ) {
    switch cell.look(text) {
    case .nothing: return
    case .other: problems.append(differing(cell.cell, text, layout))
    case .first:
      guard let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver) else {
        return problems.append(
          RowProblem(
            .cellValue,
            "'\(layout.header(cell.cell))' says '\(CellText.shown(text))', which is no time; write 2026-01-05 10:11:12",
            cell: cell.cell))
      }
      cell.set(text) { $0.appendJSONDate(time) }
    }
  }

  private mutating func differs(_ cell: Int, _ text: UnsafeBufferPointer<UInt8>) {
    problems.append(Self.differing(cell, text, layout))
  }

  static func differing(
    _ cell: Int, _ text: UnsafeBufferPointer<UInt8>, _ layout: TableLayout
  ) -> RowProblem {
    let noun = layout.shape == .cards ? "deck" : "checklist"
    return RowProblem(
      .differingRows,
      "'\(layout.header(cell))' says '\(CellText.shown(text))', an earlier row of the \(noun) "
        + "something else", cell: cell)
  }

  /// Notes that a cell does not say what it should.
  mutating func problem(_ cell: Int, _ text: UnsafeBufferPointer<UInt8>, _ why: String) {
    problems.append(
      RowProblem(.cellValue, "'\(layout.header(cell))' says '\(CellText.shown(text))', \(why)", cell: cell))
  }
}
