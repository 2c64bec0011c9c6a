import Content
import Diagnostics
import Interchange
import JSONText

extension CatalogueReading {
  /// Writes an item around a document's body.
  /// - Parameters:
  ///   - body: the text, sections or cards as JSON; nil for an item without a document.
  ///   - note: what the document itself says of the item, for what the row does not say.
  func write(
    _ row: CatalogueRow, type: ContentType, body: [UInt8]?, note: JSONNode?, into out: inout ByteBuffer
  ) {
    let text = EnvelopeText.of(type)
    for (index, piece) in text.pieces.enumerated() {
      if body == nil, index == Self.documentStart(text) {
        // Up to the document's own first member.
        let end = piece.text.lastRange(of: Array("{\"id\":".utf8))?.lowerBound ?? piece.text.count
        piece.text[..<end].withUnsafeBufferPointer { out.append($0) }
        out.append("null}")
        return
      }
      piece.text.withUnsafeBufferPointer { out.append($0) }
      write(piece.slot, row, body, note, into: &out)
    }
    text.tail.withUnsafeBufferPointer { out.append($0) }
  }

  /// The piece with which the document begins: the second that is an id.
  private static func documentStart(_ text: EnvelopeText) -> Int {
    text.pieces.indices.dropFirst().first { text.pieces[$0].slot == .id } ?? 0
  }

  private func write(
    _ slot: EnvelopeText.Slot, _ row: CatalogueRow, _ body: [UInt8]?, _ note: JSONNode?, into out: inout ByteBuffer
  ) {
    let layout = facts.layout
    switch slot {
    case .id:
      out.append(UInt8(ascii: "\""))
      out.append(row.id)
      out.append(UInt8(ascii: "\""))
    case .title: row.text(.title).withUnsafeBufferPointer { out.appendJSONString($0) }
    case .description:
      let said = row.text(.description)
      if !said.isEmpty {
        said.withUnsafeBufferPointer { out.appendJSONString($0) }
      } else if !layout.has(.description), let value = note?.member("description") {
        out.append(value.raw)
      } else {
        out.append("null")
      }
    case .tags:
      if !layout.has(.tags), let value = note?.member("tags"), value.kind == .array {
        out.append(value.raw)
      } else {
        row.text(.tags).withUnsafeBufferPointer { CellTags.append($0, into: &out) }
      }
    case .language:
      if let language = row.language {
        out.appendJSONString(language)
      } else if let value = note?.member("language"), value.kind == .string {
        out.append(value.raw)
      } else {
        out.append("\"en\"")
      }
    case .created: write(row.created, into: &out)
    case .updated: write(row.updated, into: &out)
    case .checklistType:
      if let value = note?.member("content_data")?.member("checklistType"), value.kind == .string {
        out.append(value.raw)
      } else {
        out.append("\"general\"")
      }
    case .lineage(let column):
      if let value = row.lineage[column] {
        out.append(utf8: value)
      } else if !layout.has(column), let value = note.flatMap({ LineageCells.member(column, of: $0) }) {
        out.append(value.raw)
      } else {
        out.append(column == .forkCount ? "0" : "null")
      }
    case .body: (body ?? Array("null".utf8)).withUnsafeBufferPointer { out.append($0) }
    }
  }

  private func write(_ time: Timestamp?, into out: inout ByteBuffer) {
    if let time { out.appendJSONDate(time) } else { out.append("null") }
  }

  // MARK: Documents

  /// Writes an item whose document is a note.
  /// - Returns: what is wrong with it.
  func writeNote(_ row: CatalogueRow, _ record: Record, into out: inout ByteBuffer) -> [RowProblem] {
    record.withLine { line in
      tape.removeAll()
      guard let parse = try? tape.parse(line), let base = line.baseAddress else {
        return [unreadable("it is no record")]
      }
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      let type = node.member("content_type")?.string.flatMap(ContentType.init(rawValue:)) ?? .practiceGuide
      let name: StaticString =
        switch type {
        case .checklist: "sections"
        case .practiceGuide: "markdown"
        case .flashcardDeck: "cards"
        }
      let body = node.member("content_data")?.member(name)
      write(row, type: type, body: body.map { Array($0.raw) }, note: node, into: &out)
      return []
    }
  }

  /// Writes an item whose document is JSON.
  /// - Returns: what is wrong with it.
  func writeJSON(_ row: CatalogueRow, into out: inout ByteBuffer) -> [RowProblem] {
    let text = row.text(.document)
    var draft = ByteBuffer(capacity: text.count + 1024)
    let type: ContentType
    do throws(JSONError) {
      let document = try text.withUnsafeBufferPointer { text throws(JSONError) in try JSONDocument(parsing: text) }
      guard let found = row.type ?? Self.type(of: document) else {
        return [unreadable("nobody can say whether it is a checklist, a guide or a deck; fill in the type")]
      }
      type = found
    } catch {
      let position = text.withUnsafeBufferPointer { TextPosition(offset: error.offset, in: $0) }
      return [unreadable("\(error.message) (line \(position.line), column \(position.column) of the cell)")]
    }
    writeDraft(row, type, into: &draft)
    tape.removeAll()
    guard let parse = try? tape.parse(draft.bytes) else { return [unreadable("it is no JSON object")] }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { row.id.text }, into: &out)
    return canonicalizer.issues.filter { $0.code.severity >= .warning }.map {
      RowProblem($0.code, $0.message + " (\($0.pointer))", cell: facts.cell(.document))
    }
  }

  private func writeDraft(_ row: CatalogueRow, _ type: ContentType, into draft: inout ByteBuffer) {
    draft.append("{\"kind\":\"item\",\"id\":\"")
    draft.append(row.id)
    draft.append("\",\"content_type\":\"")
    draft.append(utf8: type.rawValue)
    draft.append("\"")
    let slots: [(StaticString, EnvelopeText.Slot)] = [
      (",\"title\":", .title), (",\"description\":", .description), (",\"tags\":", .tags),
      (",\"language\":", .language), (",\"created_at\":", .created), (",\"updated_at\":", .updated),
    ]
    for (key, slot) in slots {
      draft.append(key)
      write(slot, row, nil, nil, into: &draft)
    }
    for column in TableColumn.lineage where row.lineage[column] != nil {
      draft.append(utf8: ",\"\(column.rawValue)\":")
      write(.lineage(column), row, nil, nil, into: &draft)
    }
    draft.append(",\"content_data\":")
    row.text(.document).withUnsafeBufferPointer { draft.append(CellText.trimmed($0)) }
    draft.append("}")
  }

  private static func type(of document: JSONDocument) -> ContentType? {
    let root = document.root
    if root["sections"] != nil { return .checklist }
    if root["cards"] != nil { return .flashcardDeck }
    return root["markdown"] != nil ? .practiceGuide : nil
  }

  private func unreadable(_ why: String) -> RowProblem {
    RowProblem(
      .cellDocument, "'\(facts.layout.header(facts.layout.cell(.document)))' is no document: \(why)",
      cell: facts.cell(.document))
  }
}
