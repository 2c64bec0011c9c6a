import Content
import Diagnostics
import Interchange
import JSONText

extension CatalogueReading {
  /// Takes the cells of a row; nil when it says nothing.
  func take(_ row: borrowing TableRow, _ place: BatchRows.Row) -> CatalogueRow? {
    let layout = facts.layout
    var texts: [TableColumn: [UInt8]] = [:]
    for (column, cell) in layout.cells {
      let text = layout.isExact || column == .document ? row.text(cell) : CellText.trimmed(row.text(cell))
      if !CellText.trimmed(text).isEmpty || (layout.isExact && !text.isEmpty) { texts[column] = Array(text) }
    }
    if texts.isEmpty { return nil }
    var item = CatalogueRow(
      row: place, id: UUIDBits(high: 0, low: 0), type: nil, document: .none, texts: texts, problems: [])
    if row.cells.count > layout.headers.count,
      let cell = (layout.headers.count..<row.cells.count).first(where: { !CellText.trimmed(row.text($0)).isEmpty })
    {
      item.problems.append(
        RowProblem(
          .unusableRow, "the row has \(row.cells.count) cells, its header \(layout.headers.count)", cell: cell))
    }
    if item.text(.title).isEmpty {
      item.problems.append(
        RowProblem(
          .rowWithoutTitle,
          "'\(layout.header(layout.cell(.title)))' is empty although other cells of the row are filled",
          cell: layout.cell(.title)))
    }
    takeValues(&item)
    identify(&item, key: CellText.trimmed(row.text(layout.key ?? -1)))
    return item
  }

  private func takeValues(_ item: inout CatalogueRow) {
    func each(_ column: TableColumn, _ why: String, _ take: (UnsafeBufferPointer<UInt8>) -> Bool) {
      let text = item.text(column)
      text.withUnsafeBufferPointer { text in
        let said = CellText.trimmed(text)
        if said.isEmpty || take(said) { return }
        item.problems.append(
          RowProblem(
            .cellValue, "'\(facts.layout.header(facts.layout.cell(column)))' says '\(CellText.shown(said))', \(why)",
            cell: facts.layout.cell(column)))
      }
    }
    var type: ContentType?
    var language: String?
    var times: [TableColumn: Timestamp] = [:]
    each(.type, "which is none of checklist, practice_guide (guide) and flashcard_deck (deck)") {
      type = CellValue.contentType($0)
      return type != nil
    }
    each(.language, "which is no language's code, as 'en' and 'ru' are") {
      language = CellValue.language($0)
      return language != nil
    }
    for column in [TableColumn.created, .updated] {
      each(column, "which is no time; write 2026-01-05 10:11:12") {
        guard let (time, quirks) = Timestamp.parse($0), !quirks.contains(.rollsOver) else { return false }
        times[column] = time
        return true
      }
    }
    var lineage: [TableColumn: String] = [:]
    for column in TableColumn.lineage where facts.layout.has(column) {
      each(column, LineageCells.why(column)) {
        lineage[column] = LineageCells.json(column, $0)
        return lineage[column] != nil
      }
    }
    item.lineage = lineage
    item.type = type
    item.language = language
    item.created = times[.created]
    item.updated = times[.updated]
    item.document = document(item)
    if item.document == .guide, item.text(.document).allSatisfy({ $0 == 0x20 || $0 &- 0x09 < 5 }) {
      let cell = facts.layout.cell(.document)
      item.problems.append(
        RowProblem(.emptyGuide, "'\(facts.layout.header(cell))' is empty; the guide has no text", cell: cell))
    }
  }

  private func document(_ item: CatalogueRow) -> CatalogueRow.Document {
    let text = item.text(.document)
    let first = text.first { !($0 == 0x20 || $0 &- 0x09 < 5) }
    if first == nil { return item.type == .practiceGuide && facts.layout.has(.document) ? .guide : .none }
    if first == UInt8(ascii: "{") { return .json }
    if notesFormat == nil { return .guide }
    return item.type == .practiceGuide && !item.hasFrontMatter ? .guide : .note
  }

  private func identify(_ item: inout CatalogueRow, key: UnsafeBufferPointer<UInt8>) {
    let cell = facts.layout.cell(.id)
    let said = item.text(.id)
    said.withUnsafeBufferPointer { text in
      let said = CellText.trimmed(text)
      if let id = UUIDBits(said) {
        item.id = id
        if ids.add(id) == 0 { return }
        item.problems.append(
          RowProblem(
            .repeatedRowID, "'\(facts.layout.header(cell))' says '\(CellText.shown(said))', as an earlier row does",
            cell: cell))
      } else if ListBuilder.looksLikeID(said) {
        item.problems.append(
          RowProblem(
            .cellValue, "'\(facts.layout.header(cell))' says '\(CellText.shown(said))', which is no id", cell: cell))
      } else if let problem = nearlyIDs.take(said, cell: cell, facts.layout) {
        item.problems.append(problem)
      }
      scope.begin(&deriver, kind: "item")
      if !said.isEmpty, UUIDBits(said) == nil {
        deriver.add(said)
      } else if !key.isEmpty {
        deriver.add(key)
      } else {
        item.text(.title).withUnsafeBufferPointer { deriver.add($0) }
      }
      let mark = deriver.mark
      var id = deriver.id()
      let byKey = !key.isEmpty && (said.isEmpty || UUIDBits(said) != nil)
      // Two notes may have one title; the second is known by its number among equals.
      var repeats = ids.add(id)
      if repeats > 0, byKey, let cell = facts.layout.key {
        item.problems.append(
          RowProblem(
            .repeatedKey, "'\(facts.layout.header(cell))' says '\(CellText.shown(key))', as an earlier row does",
            cell: cell))
      }
      while repeats > 0 {
        deriver.truncate(to: mark)
        deriver.add(String(repeats))
        id = deriver.id()
        if ids.add(id) == 0 { break }
        repeats += 1
      }
      item.id = id
    }
  }
}
