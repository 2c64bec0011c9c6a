import Content
import Interchange
import JSONText

extension ListBuilder {
  /// Ends the group: writes its record into a batch, unless no row of it could be used.
  /// - Returns: whether there is a record.
  @discardableResult
  mutating func finish(into batch: RecordBatch, _ rows: inout BatchRows) -> Bool {
    guard hasGroup, let firstRow else { return false }
    hasGroup = false
    if steps.isEmpty, hasRejects { return false }
    if !isTitleSet || title.count == 0 { title.append(utf8: scope.name) }
    let start = batch.canonical.count
    let text = EnvelopeText.of(isDeck ? .flashcardDeck : .checklist)
    if !lost.isEmpty { rows.lost[rows.items.count] = lost }
    rows.items.append(BatchRows.Item(row: firstRow, firstSection: rows.sections.count))
    for piece in text.pieces {
      piece.text.withUnsafeBufferPointer { batch.canonical.append($0) }
      write(piece.slot, into: &batch.canonical, &rows)
    }
    text.tail.withUnsafeBufferPointer { batch.canonical.append($0) }
    batch.appendSlot(.item, from: start)
    let slot = batch.slots.count - 1
    batch.slots[slot].rows = Int32(clamping: steps.count)
    batch.slots[slot].isPartial = isPartial
    batch.slots[slot].sourceFile = Int32(clamping: rows.items.count - 1)
    return true
  }

  private mutating func write(_ slot: EnvelopeText.Slot, into out: inout ByteBuffer, _ rows: inout BatchRows) {
    switch slot {
    case .id:
      out.append(UInt8(ascii: "\""))
      out.append(itemID)
      out.append(UInt8(ascii: "\""))
    case .title: out.appendJSONString(title.bytes)
    case .description: if description.isSet { out.append(description.json.bytes) } else { out.append("null") }
    case .tags: if tags.isSet { out.append(tags.json.bytes) } else { out.append("[]") }
    case .language:
      if language.isSet {
        out.append(language.json.bytes)
      } else if let code = LetterLanguage.infer(title.bytes, in: 0..<title.count) {
        languages[code, default: 0] += 1
        out.appendJSONString(code)
      } else {
        out.append("\"en\"")
      }
    case .created: if created.isSet { out.append(created.json.bytes) } else { out.append("null") }
    case .updated: if updated.isSet { out.append(updated.json.bytes) } else { out.append("null") }
    case .checklistType: if type.isSet { out.append(type.json.bytes) } else { out.append("\"general\"") }
    case .lineage(let column): lineage.write(column, into: &out)
    case .body: if isDeck { writeCards(into: &out, &rows) } else { writeSections(into: &out, &rows) }
    }
  }

  private mutating func writeCards(into out: inout ByteBuffer, _ rows: inout BatchRows) {
    if let firstRow { rows.sections.append(BatchRows.Section(row: firstRow, firstStep: rows.steps.count)) }
    out.append(UInt8(ascii: "["))
    if let first = steps.first, let last = steps.last {
      out.append(UnsafeBufferPointer(rebasing: text.bytes[first.text.lowerBound..<last.text.upperBound - 1]))
      for step in steps { rows.steps.append(step.row) }
    }
    out.append(UInt8(ascii: "]"))
  }

  private mutating func writeSections(into out: inout ByteBuffer, _ rows: inout BatchRows) {
    if isInterleaved {
      // Stable by hand: rows of a section keep the order of the table.
      steps = steps.indices.sorted { (steps[$0].section, $0) < (steps[$1].section, $1) }.map { steps[$0] }
    }
    out.append(UInt8(ascii: "["))
    var next = 0
    var position: Int64 = 0
    for index in sections.indices where sections[index].isSaid {
      if position > 0 { out.append(UInt8(ascii: ",")) }
      let section = sections[index]
      rows.sections.append(BatchRows.Section(row: section.row, firstStep: rows.steps.count))
      out.append("{\"id\":\"")
      out.append(sectionID(index))
      out.append("\",\"title\":")
      // Steps without a section stand in one that is called like the checklist, as in notes.
      let name = name(index)
      out.appendJSONString(name.isEmpty && section.id == nil ? title.bytes : name)
      out.append(",\"items\":[")
      let first = next
      next += section.count
      write(first..<next, into: &out, &rows)
      out.append("],\"isExpandedByDefault\":true,\"sortOrder\":")
      out.append(decimal: position)
      out.append(UInt8(ascii: "}"))
      position += 1
    }
    out.append(UInt8(ascii: "]"))
  }

  private func write(_ range: Range<Int>, into out: inout ByteBuffer, _ rows: inout BatchRows) {
    guard !range.isEmpty else { return }
    for index in range { rows.steps.append(steps[index].row) }
    if isInterleaved {
      for index in range { out.append(UnsafeBufferPointer(rebasing: text.bytes[steps[index].text])) }
    } else {
      // They stand behind each other.
      out.append(
        UnsafeBufferPointer(
          rebasing: text.bytes[steps[range.lowerBound].text.lowerBound..<steps[range.upperBound - 1].text.upperBound]))
    }
    out.truncate(to: out.count - 1)
  }

  private mutating func sectionID(_ index: Int) -> UUIDBits {
    if let id = sections[index].id { return id }
    deriver.begin()
    deriver.add(itemID)
    deriver.add("")
    deriver.add(name(index))
    let mark = deriver.mark
    var repeats = 0
    while true {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      let id = deriver.id()
      if ids.add(id) == 0 { return id }
      repeats += 1
    }
  }
}
