import Content
import Interchange
import JSONText

extension ListBuilder {
  /// Sections of one checklist beyond this many are looked up in a table.
  private static let few = 16

  /// Moves to the section of a row.
  @inline(__always)
  mutating func takeSection(_ row: borrowing TableRow, isStep: Bool) {
    if current >= 0, sectionCell < 0, sectionIDCell < 0 { return }
    let rowTitle = CellText.trimmed(row.text(sectionCell))
    let rowID = CellText.trimmed(row.text(sectionIDCell))
    if current >= 0, CellText.same(rowTitle, lastSection.bytes), CellText.same(rowID, lastSectionID.bytes) { return }
    // A row that says nothing stands where the row above stands.
    if current >= 0 || !isStep, rowTitle.isEmpty, rowID.isEmpty { return }
    lastSection.removeAll()
    lastSection.append(rowTitle)
    lastSectionID.removeAll()
    lastSectionID.append(rowID)
    move(rowTitle, rowID, isExact ? row.text(sectionCell) : rowTitle, row)
  }

  private mutating func move(
    _ rowTitle: UnsafeBufferPointer<UInt8>, _ rowID: UnsafeBufferPointer<UInt8>,
    _ written: UnsafeBufferPointer<UInt8>, _ row: borrowing TableRow
  ) {
    var id: UUIDBits?
    if !rowID.isEmpty {
      id = UUIDBits(rowID)
      if id == nil {
        if Self.looksLikeID(rowID) {
          problems.append(badID(sectionIDCell, rowID))
        } else if let problem = nearlyIDs.take(rowID, cell: sectionIDCell, layout) {
          problems.append(problem)
        }
        id = named(rowID)
      }
    }
    let found = id.flatMap { section(id: $0) } ?? section(titled: rowTitle, withoutID: id != nil)
    let next = found ?? add(rowTitle, written, id, row)
    if found != nil, let id, sections[next].id == nil {
      sections[next].id = id
      if sections.count > Self.few { sectionsByID[id] = next }
    }
    if next != current { sectionMark = 0 }
    current = next
  }

  private func section(id: UUIDBits) -> Int? {
    if sections.count > Self.few { return sectionsByID[id] }
    return sections.firstIndex { $0.id == id }
  }

  /// A section that is called so; the current one before all others.
  private func section(titled text: UnsafeBufferPointer<UInt8>, withoutID: Bool) -> Int? {
    // Rows that name no section at all belong to one that is called like the checklist.
    func fits(_ index: Int) -> Bool {
      (!withoutID || sections[index].id == nil) && CellText.same(CellText.trimmed(name(index)), text)
    }
    if withoutID, text.isEmpty { return nil }
    if current >= 0, fits(current) { return current }
    if sections.count > Self.few {
      return sectionsByTitle[KeyHash(text, kind: 3)].flatMap { fits($0) ? $0 : nil }
    }
    return sections.indices.first(where: fits)
  }

  /// The title of a section as the rows wrote it; empty for the one that has none.
  func name(_ section: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: names.bytes[sections[section].title])
  }

  private mutating func add(
    _ title: UnsafeBufferPointer<UInt8>, _ written: UnsafeBufferPointer<UInt8>, _ id: UUIDBits?,
    _ row: borrowing TableRow
  ) -> Int {
    let start = names.count
    names.append(written)
    sections.append(
      Section(title: start..<names.count, id: id, row: BatchRows.Row(row, ordinal: ordinal)))
    let index = sections.count - 1
    if sections.count == Self.few + 1 {
      for (number, section) in sections.enumerated() { note(number, section.id) }
    } else if sections.count > Self.few {
      note(index, id)
    }
    return index
  }

  private mutating func note(_ index: Int, _ id: UUIDBits?) {
    if let id, sectionsByID[id] == nil { sectionsByID[id] = index }
    let key = KeyHash(CellText.trimmed(name(index)), kind: 3)
    if sectionsByTitle[key] == nil { sectionsByTitle[key] = index }
  }

  /// The id of something that people know by a word of their own.
  mutating func named(_ text: UnsafeBufferPointer<UInt8>) -> UUIDBits {
    sectionMark = 0
    deriver.begin()
    deriver.add(itemID)
    deriver.add(text)
    return deriver.id()
  }
}
