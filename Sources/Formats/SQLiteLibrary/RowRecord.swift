import Content
import JSONText
import SQLiteIO

/// Makes a record of one row: charters, executions, operations.
enum RowRecord {
  /// Writes the canonical line of a charter.
  static func write(
    _ row: RowCursor, _ kind: RecordKind, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    let id = ids.normalize(row, encoder: &encoder, label: kind.name)
    writeColumns(row, kind, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes the canonical line of an execution.
  /// - Parameter report: reports what the row refers to, once the encoder knows the record.
  static func writeExecution(
    _ row: RowCursor, checklistID: String, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer,
    report: (borrowing RowEncoder) -> Void = { _ in }
  ) {
    let id = ids.normalize(row, encoder: &encoder, label: "execution")
    encoder.innerScope = ids.reference(checklistID, to: .items)
    report(encoder)
    writeColumns(row, .execution, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes a record that is one row.
  /// - Parameter id: the id as JSON; a UUID needs no escapes.
  static func writeColumns(
    _ row: RowCursor, _ kind: RecordKind, id: String, ids: IDNormalizer, encoder: inout RowEncoder,
    into out: inout ByteBuffer
  ) {
    out.append(utf8: "{\"kind\":\"\(kind.name)\",\"id\":\(id)")
    for index in 1..<row.encoded.count {
      out.append(row.encoded[index].key)
      if ids.writeReference(index, of: row, encoder: &encoder, into: &out) { continue }
      encoder.write(index, of: row, into: &out)
      ChoiceCheck.check(index, of: row, encoder: encoder)
    }
    encoder.takeUnknownColumns(row)
    encoder.extras.write(into: &out)
    out.append(UInt8(ascii: "}"))
  }
}
