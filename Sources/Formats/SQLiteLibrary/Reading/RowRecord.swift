import Content
import JSONText
import SQLiteIO

/// Makes a record of one row: a charter, an execution, an operation.
enum RowRecord {
  /// Writes the canonical line of a charter.
  static func writeCharter(
    _ row: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    let id = ids.normalize(row, encoder: &encoder, label: RecordKind.charter.name)
    write(row, .charter, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes the canonical line of an execution, and reports what it refers to in vain.
  static func writeExecution(
    _ rows: ExecutionRows, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    writeExecution(rows.cursor, checklistID: rows.checklistID, ids: ids, encoder: &encoder, into: &out) {
      rows.report($0)
    }
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
    write(row, .execution, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes the canonical line of an operation, and reports what keeps it from being sent.
  static func writeOperation(
    _ row: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) throws(SQLiteError) {
    let id = row.positions[0] >= 0 ? row.statement.integer(at: row.positions[0]) : 0
    encoder.begin(id: String(id), label: "operation")
    write(row, .syncOperation, id: String(id), ids: ids, encoder: &encoder, into: &out)
    try OperationCheck.check(row, ids: ids, encoder: encoder)
  }

  /// Writes a record that is one row.
  /// - Parameter id: the id as JSON; a UUID needs no escapes.
  private static func write(
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
