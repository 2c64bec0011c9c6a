import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Makes one item of its metadata and its body, or of whichever of them is there.
enum ItemRecord {
  /// Writes the canonical line of an item.
  /// - Returns: whether it has extras.
  @discardableResult
  static func write(
    _ row: ItemJoin.Row, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) -> Bool {
    guard let first = row.metadata ?? row.checklist ?? row.guide else { return false }
    let id = ids.normalize(first, encoder: &encoder, label: "item")
    if let checklist = row.checklist, checklist !== first { ids.reportID(of: checklist, as: id, encoder) }
    if let guide = row.guide, guide !== first { ids.reportID(of: guide, as: id, encoder) }
    let (type, body) = decide(row, encoder: &encoder)
    encoder.recordLabel = type.rawValue

    out.append("{\"kind\":\"item\",\"id\":")
    out.appendJSONString(id)
    out.append(",\"content_type\":\"")
    out.append(utf8: type.rawValue)
    out.append("\"")
    if let metadata = row.metadata {
      for index in 2..<metadata.encoded.count {
        out.append(metadata.encoded[index].key)
        write(index, of: metadata, ids: ids, encoder: &encoder, into: &out)
      }
    } else if let body {
      writeEnvelope(from: body, ids: ids, encoder: &encoder, into: &out)
    }
    out.append(",\"content_data\":")
    if let body {
      out.append("{\"id\":")
      out.appendJSONString(id)
      for index in 1..<body.encoded.count {
        out.append(body.encoded[index].key)
        write(index, of: body, ids: ids, encoder: &encoder, into: &out)
      }
      out.append(UInt8(ascii: "}"))
    } else {
      out.append("null")
    }
    return writeRest(row, body, encoder: &encoder, into: &out)
  }

  private static func write(
    _ index: Int, of row: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    if ids.writeReference(index, of: row, encoder: &encoder, into: &out) { return }
    encoder.write(index, of: row, into: &out)
    ChoiceCheck.check(index, of: row, encoder: encoder)
  }

  /// The type that the item has in truth, and the row of its body.
  private static func decide(_ row: ItemJoin.Row, encoder: inout RowEncoder) -> (ContentType, RowCursor?) {
    guard let metadata = row.metadata else {
      let body = row.checklist ?? row.guide
      if let body {
        encoder.report(
          .bodyWithoutMetadata, "there is no library_content row for this \(name(of: body))", body, nil)
      }
      if row.checklist != nil, let guide = row.guide {
        encoder.report(.twoBodies, "this id has a checklist and a guide", guide, nil)
      }
      return (row.checklist != nil ? .checklist : .practiceGuide, body)
    }
    let position = metadata.encoded[1].position
    let word = position >= 0 ? metadata.statement.text(at: position) ?? "" : "checklist"
    let said = ContentType(rawValue: word)
    if said == nil || said == .flashcardDeck {
      encoder.report(
        .unknownValue, "'type' is \"\(word)\"; the app takes it for checklist", metadata, "type")
      if said == nil { encoder.keepRaw("type", text: word) }
    }
    let own = said == .practiceGuide ? row.guide : row.checklist
    let other = said == .practiceGuide ? row.checklist : row.guide
    if let own, said != .flashcardDeck || other == nil {
      if let other {
        encoder.report(.twoBodies, "this id has a \(name(of: own)) and a \(name(of: other))", other, nil)
      }
      return (said == .practiceGuide ? .practiceGuide : .checklist, own)
    }
    if let body = own ?? other {
      if said != nil {
        encoder.report(
          .bodyOfOtherType, "the metadata says \(word), the body is a \(name(of: body))", metadata, "type")
        encoder.keepRaw("type", text: word)
      }
      return (body.map.table == "checklists" ? .checklist : .practiceGuide, body)
    }
    encoder.report(
      .metadataWithoutBody, "there is no row in '\(said == .practiceGuide ? "practice_guides" : "checklists")'",
      metadata, nil)
    return (said ?? .checklist, nil)
  }

  private static func name(of body: RowCursor) -> String {
    body.map.table == "checklists" ? "checklist" : "guide"
  }

  /// The envelope of a body that has none: what the body itself says, and defaults.
  private static func writeEnvelope(
    from body: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    let quiet = DiagnosticLog(keepPerCode: 0)
    var silent = RowEncoder(file: encoder.file, findings: quiet)
    silent.begin(id: encoder.recordID, label: "")
    let same = [
      "title": "title", "description": "description", "tags": "tags", "sync_status": "syncStatus",
      "creator_id": "creatorID", "created_at": "createdAt", "updated_at": "updatedAt",
    ]
    for column in TableMaps.content.columns.dropFirst(2) {
      out.append(utf8: ",\"\(column.member)\":")
      if let member = same[column.member],
        let index = body.map.columns.firstIndex(where: { $0.member == member })
      {
        // What is wrong with the value is reported once, where the body itself is written.
        write(index, of: body, ids: ids, encoder: &silent, into: &out)
      } else {
        out.append(utf8: column.absent)
      }
    }
  }

  /// Writes extras, if there are any, and closes the record.
  private static func writeRest(
    _ row: ItemJoin.Row, _ body: RowCursor?, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) -> Bool {
    if let metadata = row.metadata { encoder.takeUnknownColumns(metadata) }
    if let body { encoder.takeUnknownColumns(body) }
    var other: [UInt8]?
    if let checklist = row.checklist, checklist !== body { other = stored(checklist) }
    if let guide = row.guide, guide !== body { other = stored(guide) }
    let end = out.count
    encoder.extras.write(into: &out, other: other)
    let hasExtras = out.count > end
    out.append(UInt8(ascii: "}"))
    return hasExtras
  }

  /// A row as it is stored, for a body that has no place of its own.
  private static func stored(_ row: RowCursor) -> [UInt8] {
    var json = ByteBuffer(capacity: 1024)
    json.append("{\"table\":")
    json.appendJSONString(row.map.table)
    for (column, position) in zip(row.map.columns, row.positions) where position >= 0 {
      json.append(UInt8(ascii: ","))
      json.appendJSONString(column.column)
      json.append(UInt8(ascii: ":"))
      StoredValue.append(row.statement, position: position, into: &json)
    }
    json.append(UInt8(ascii: "}"))
    return Array(json.bytes)
  }
}
