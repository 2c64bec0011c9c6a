import Content
import Diagnostics
import Interchange
import JSONText

extension ListBuilder {
  /// What became of a row.
  enum Outcome {
    /// It is a step or a card.
    case taken
    /// It says something about its checklist, or nothing.
    case declared
    /// It cannot be used; `problems` say why.
    case rejected
  }

  /// Takes a row of the current group. What has to be said about it is in `problems` afterwards.
  @inline(__always)
  mutating func take(_ row: borrowing TableRow) -> Outcome {
    if !problems.isEmpty { problems.removeAll(keepingCapacity: true) }
    takeGroupCells(row)
    let front = isExact ? row.text(titleCell) : CellText.trimmed(row.text(titleCell))
    let isStep = !CellText.trimmed(front).isEmpty || fillsStep(row)
    if !isDeck { takeSection(row, isStep: isStep) }
    if let groupProblem { problems.append(groupProblem) }
    if let problem = idProblem {
      problems.append(problem)
      idProblem = nil
    }
    if row.cells.count > layout.headers.count { checkLength(row) }
    if !isStep {
      let outcome = settle(.declared)
      if case .rejected = outcome { lose(row) }
      return outcome
    }
    let start = text.count
    let id = write(row, title: front)
    guard !problems.contains(where: \.rejects) else {
      text.truncate(to: start)
      lose(row, id.text, front)
      return settle(.rejected)
    }
    if isDeck, current < 0 { beginDeck(row) }
    let section = current
    finishStep(start, id, section, BatchRows.Row(row, ordinal: ordinal))
    return .taken
  }

  /// A row that says only what is the same for its checklist is no step; one with an error is rejected all the same.
  private mutating func settle(_ outcome: Outcome) -> Outcome {
    guard problems.contains(where: \.rejects) else {
      if current >= 0 { sections[current].isSaid = true }
      return outcome
    }
    isPartial = true
    hasRejects = true
    return .rejected
  }

  /// Remembers a row that the item goes on without.
  mutating func lose(
    _ row: borrowing TableRow, _ id: String = "", _ title: UnsafeBufferPointer<UInt8>? = nil
  ) {
    guard lost.count < 1000 else { return }
    let title = title.map { $0.count <= 1024 ? Array($0) : [] } ?? []
    lost.append(BatchRows.Lost(row: BatchRows.Row(row, ordinal: ordinal), id: Array(id.utf8), title: title))
  }

  /// Whether a row without a title has cells that only steps have.
  private func fillsStep(_ row: borrowing TableRow) -> Bool {
    for cell in [itemIDCell, requiredCell, optionalCell, minutesCell, tagsCell, detailsCell, backCell, hintCell]
    where !CellText.trimmed(row.text(cell)).isEmpty { return true }
    return false
  }

  private mutating func checkLength(_ row: borrowing TableRow) {
    for cell in layout.headers.count..<row.cells.count where !CellText.trimmed(row.text(cell)).isEmpty {
      return problems.append(
        RowProblem(
          .unusableRow, "the row has \(row.cells.count) cells, its header \(layout.headers.count)", cell: cell))
    }
  }

  private mutating func beginDeck(_ row: borrowing TableRow) {
    sections.append(Section(title: 0..<0, id: nil, row: BatchRows.Row(row, ordinal: ordinal)))
    current = 0
  }

  private mutating func finishStep(_ start: Int, _ id: UUIDBits, _ section: Int, _ row: BatchRows.Row) {
    text.append(",\"sortOrder\":")
    text.append(decimal: Int64(sections[section].count))
    text.append("},")
    if let last = steps.last, last.section != section, last.section > section || sections[section].count > 0 {
      isInterleaved = true
    }
    sections[section].count += 1
    sections[section].isSaid = true
    steps.append(Step(section: section, text: start..<text.count, row: row))
    lastID = id
  }

  /// Writes a step or card without its end.
  @inline(__always)
  private mutating func write(_ row: borrowing TableRow, title: UnsafeBufferPointer<UInt8>) -> UUIDBits {
    // Nothing is lost where two problems stand in one row: all cells are looked at.
    if CellText.trimmed(title).isEmpty, !isExact || row.text(itemIDCell).isEmpty {
      problems.append(
        RowProblem(
          .rowWithoutTitle, "'\(layout.header(titleCell))' is empty although other cells of the row are filled",
          cell: titleCell))
    }
    let id = id(of: row, title: title)
    text.append("{\"id\":\"")
    text.append(id)
    text.append(isDeck ? "\",\"front\":" : "\",\"title\":")
    text.appendJSONString(title)
    return isDeck ? writeCard(row, id) : writeStep(row, id)
  }

  @inline(__always)
  private mutating func writeStep(_ row: borrowing TableRow, _ id: UUIDBits) -> UUIDBits {
    let details = isExact ? row.text(detailsCell) : CellText.trimmed(row.text(detailsCell))
    if !details.isEmpty {
      text.append(",\"itemDescription\":")
      text.appendJSONString(details)
    }
    text.append(bool(row, optionalCell) ? ",\"isOptional\":true" : ",\"isOptional\":false")
    text.append(bool(row, requiredCell) ? ",\"isRequired\":true" : ",\"isRequired\":false")
    text.append(",\"tags\":")
    CellTags.append(row.text(tagsCell), into: &text)
    let minutes = CellText.trimmed(row.text(minutesCell))
    if !minutes.isEmpty {
      if let number = CellValue.minutes(minutes) {
        if !CellValue.possibleMinutes.contains(number) {
          problem(minutesCell, minutes, "and a step takes 0 to \(CellValue.possibleMinutes.upperBound) minutes")
        }
        text.append(",\"estimatedMinutes\":")
        text.append(decimal: number)
      } else {
        problem(minutesCell, minutes, "which is no whole number of minutes, as '5', '5 min' and '1:30' are")
      }
    }
    return id
  }

  @inline(__always)
  private mutating func bool(_ row: borrowing TableRow, _ cell: Int) -> Bool {
    let said = CellText.trimmed(row.text(cell))
    if said.isEmpty { return false }
    if let value = CellValue.flag(said, isOptional: cell == optionalCell) { return value }
    problem(cell, said, "which is neither yes nor no")
    return false
  }

  private mutating func writeCard(_ row: borrowing TableRow, _ id: UUIDBits) -> UUIDBits {
    let back = isExact ? row.text(backCell) : CellText.trimmed(row.text(backCell))
    if CellText.trimmed(back).isEmpty, !isExact || row.text(itemIDCell).isEmpty {
      problems.append(
        RowProblem(
          .rowWithoutTitle, "'\(layout.header(backCell))' is empty, and a card has two sides", cell: backCell))
    }
    text.append(",\"back\":")
    text.appendJSONString(back)
    text.append(",\"tags\":")
    CellTags.append(row.text(tagsCell), into: &text)
    let hint = isExact ? row.text(hintCell) : CellText.trimmed(row.text(hintCell))
    if !hint.isEmpty {
      text.append(",\"hint\":")
      text.appendJSONString(hint)
    }
    return id
  }

  // MARK: Ids

  @inline(__always)
  private mutating func id(of row: borrowing TableRow, title: UnsafeBufferPointer<UInt8>) -> UUIDBits {
    let said = CellText.trimmed(row.text(itemIDCell))
    if !said.isEmpty { return saidID(said, title) }
    let key = CellText.trimmed(row.text(rowKeyCell))
    if !key.isEmpty {
      let id = named(key)
      if ids.add(id) == 0 { return id }
      problems.append(
        RowProblem(
          .repeatedKey, "'\(layout.header(rowKeyCell))' says '\(CellText.shown(key))', as an earlier row does",
          cell: rowKeyCell))
    }
    return derivedID(title)
  }

  private mutating func saidID(
    _ said: UnsafeBufferPointer<UInt8>, _ title: UnsafeBufferPointer<UInt8>
  ) -> UUIDBits {
    let given = UUIDBits(said)
    if given == nil, Self.looksLikeID(said) {
      problems.append(badID(itemIDCell, said))
      return itemID
    }
    if given == nil, let problem = nearlyIDs.take(said, cell: itemIDCell, layout) { problems.append(problem) }
    let id = given ?? named(said)
    if ids.add(id) == 0 { return id }
    problems.append(
      RowProblem(
        .repeatedRowID, "'\(layout.header(itemIDCell))' says '\(CellText.shown(said))', as an earlier row does",
        cell: itemIDCell))
    return derivedID(title)
  }

  /// The id that the canonicaliser would derive: from the item, the section, the title and its number among equals.
  private mutating func derivedID(_ title: UnsafeBufferPointer<UInt8>) -> UUIDBits {
    if sectionMark == 0 {
      deriver.begin()
      deriver.add(itemID)
      if current >= 0, !isDeck { deriver.add(name(current)) } else { deriver.add("") }
      sectionMark = deriver.mark
    }
    deriver.truncate(to: sectionMark)
    deriver.add(title)
    let mark = deriver.mark
    deriver.add("0")
    let id = deriver.id()
    var repeats = ids.add(id)
    if repeats == 0 { return id }
    while true {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      let other = deriver.id()
      let again = ids.add(other)
      if again == 0 { return other }
      repeats += 1
    }
  }
}

extension ByteBuffer {
  /// Appends a whole number.
  mutating func append(decimal value: Int64) {
    if value >= 0, value < 10 { return append(UInt8(truncatingIfNeeded: 0x30 + value)) }
    append(utf8: String(value))
  }
}
