import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO

/// Writes the columns of a row as the members of a record, repairs what the app would lose and reports it.
///
/// One encoder serves one reader; it holds what belongs to the record that is being written.
struct RowEncoder: ~Copyable {
  let file: String
  var findings: DiagnosticLog
  var canonicalizer = Canonicalizer(mode: .column)
  var tape = JSONTape(capacity: 1024)
  /// What the record carries beside its members.
  private(set) var extras = RecordExtras()
  /// The record's id as it is written.
  var recordID = ""
  /// What findings call the record, before its id.
  var recordLabel = ""
  /// Sections as they would be written, which the record may well have: a canonical array of known members, of a text
  /// that was parsed and checked. Where a column holds the very same bytes it need not be parsed and checked again.
  /// Nil where nobody knows any; the memory belongs to whoever sets it.
  var knownSections: UnsafeBufferPointer<UInt8>?
  /// The scope of ids inside the record: its own id, or the checklist's for ticks.
  var innerScope = ""

  init(file: String, findings: DiagnosticLog) {
    self.file = file
    self.findings = findings
    canonicalizer.collectsUnknown = true
    canonicalizer.limitsSize = true
  }

  /// Forgets the record before.
  mutating func begin(id: String, label: String) {
    extras.removeAll()
    recordID = id
    recordLabel = label
    innerScope = id
  }

  // MARK: Places and findings

  func place(_ cursor: RowCursor, _ column: String?, _ pointer: String = "") -> Place {
    // Findings are compared by their places: an id of megabytes is named by its beginning.
    let id = String(decoding: cursor.id.prefix(1024), as: UTF8.self)
    return Place(file: file, row: Place.Row(table: cursor.map.table, id: id, column: column), pointer: pointer)
  }

  func report(
    _ code: DiagnosticCode, _ message: String, _ cursor: RowCursor, _ column: String?, pointer: String = "",
    severity: Severity? = nil
  ) {
    findings.report(
      Diagnostic(
        code, message, at: place(cursor, column, pointer), record: recordLabel + " " + recordID, title: cursor.title,
        severity: severity))
  }

  /// Keeps a column's original beside the recovered value.
  mutating func keepRaw(_ cursor: RowCursor, _ index: Int, original: [UInt8]? = nil) {
    let column = cursor.map.columns[index].column
    let isBody = cursor.map.table == "checklists" || cursor.map.table == "practice_guides"
    let own = column == "content" || column == "markdown" || column == "checklistType"
    let name = isBody && !own ? "\(cursor.map.table).\(column)" : column
    if extras.raws.contains(where: { $0.column == name }) { return }
    if let original { return extras.raws.append((name, original)) }
    var json = ByteBuffer(capacity: 256)
    StoredValue.append(cursor.statement, position: cursor.positions[index], into: &json)
    extras.raws.append((name, Array(json.bytes)))
  }

  mutating func keepRaw(_ column: String, text: String) {
    var json = ByteBuffer(capacity: 64)
    var text = text
    text.withUTF8 { StoredValue.append(text: $0, into: &json) }
    extras.raws.append((column, Array(json.bytes)))
  }

  // MARK: Columns

  /// Writes the value of one mapped column.
  mutating func write(_ index: Int, of cursor: RowCursor, into out: inout ByteBuffer) {
    let column = cursor.encoded[index]
    let position = column.position
    guard position >= 0 else { return out.append(column.absent) }
    let storage = cursor.statement.storage(at: position)
    switch (column.code, storage) {
    case (.text, .text):
      let bytes = cursor.statement.bytes(at: position)
      guard UTF8Check.firstInvalid(in: bytes) == nil else { return writeBrokenText(index, cursor, into: &out) }
      guard !MarkRuns.isTooLong(in: bytes) else { return writeMarks(index, cursor, bytes, into: &out) }
      out.appendJSONString(bytes)
    case (.date, .text):
      let bytes = cursor.statement.bytes(at: position)
      if bytes.count == 23, let base = bytes.baseAddress, Timestamp.isPlain(base, separator: UInt8(ascii: " ")) {
        out.append(UInt8(ascii: "\""))
        out.append(base, 10)
        out.append(UInt8(ascii: "T"))
        out.append(base + 11, 12)
        out.append("Z\"")
      } else {
        writeDate(index, cursor, bytes, into: &out)
      }
    case (.bool, .integer):
      let value = cursor.statement.integer(at: position)
      if value != 0, value != 1 { keepOdd(index, cursor, "is \(value), neither 0 nor 1") }
      out.append(value == 0 ? "false" : "true")
    case (.integer, .integer): out.append(utf8: String(cursor.statement.integer(at: position)))
    case (.real, .real), (.real, .integer): writeReal(cursor, position, storage, into: &out)
    case (.sections, .text): writeSections(index, cursor, into: &out)
    case (.tags, .text): writeTags(index, cursor, into: &out)
    case (.itemStates, .text): writeItemStates(index, cursor, into: &out)
    case (.publicMetadata, .text): writePublicMetadata(index, cursor, into: &out)
    case (.payload, .text): writePayload(index, cursor, into: &out)
    case (_, .null):
      if !column.nullable { keepOdd(index, cursor, "is NULL") }
      out.append(column.nullable || column.code == .date ? Self.null : column.absentOrEmpty)
    default: writeOdd(index, cursor, storage, into: &out)
    }
  }

  static var null: UnsafeBufferPointer<UInt8> { EncodedColumn.null }

  mutating func keepOdd(_ index: Int, _ cursor: RowCursor, _ what: String, original: [UInt8]? = nil) {
    let column = cursor.map.columns[index].column
    report(.unexpectedStorage, "'\(column)' \(what)", cursor, column)
    keepRaw(cursor, index, original: original)
  }

  /// A kind of value that the app never writes into this column.
  private mutating func writeOdd(
    _ index: Int, _ cursor: RowCursor, _ storage: SQLiteStatement.Storage, into out: inout ByteBuffer
  ) {
    let column = cursor.encoded[index]
    let position = column.position
    // Asking a blob for its text turns it into text, so the original is taken first.
    var original = ByteBuffer(capacity: 64)
    StoredValue.append(cursor.statement, position: position, into: &original)
    let text = cursor.statement.text(at: position) ?? ""
    if column.code == .date, storage == .integer || storage == .real {
      // The app takes numbers as seconds since 1970.
      let seconds = cursor.statement.double(at: position)
      if seconds.isFinite, abs(seconds) < 1e12 {
        report(
          .dateNotCanonical, "'\(cursor.map.columns[index].column)' is the number \(text), seconds since 1970", cursor,
          cursor.map.columns[index].column)
        return out.appendJSONDate(Timestamp(milliseconds: Int64((seconds * 1000).rounded())))
      }
    }
    keepOdd(
      index, cursor, "holds \(storage == .blob ? "a blob" : "\(storage) \(text.prefix(40))")",
      original: Array(original.bytes))
    switch column.code {
    case .text: out.appendJSONString(text)
    // Bytes that were stored as a blob may well be the JSON that belongs here.
    case .sections where storage == .blob: writeSections(index, cursor, into: &out)
    case .tags where storage == .blob: writeTags(index, cursor, into: &out)
    case .itemStates where storage == .blob: writeItemStates(index, cursor, into: &out)
    case .publicMetadata where storage == .blob: writePublicMetadata(index, cursor, into: &out)
    case .payload where storage == .blob: writePayload(index, cursor, into: &out)
    case .bool: out.append(["1", "true", "yes"].contains(text.lowercased()) ? "true" : "false")
    case .integer where Double(text).map { $0.isFinite && abs($0) < 1e15 } ?? false:
      out.append(utf8: String(Int64((Double(text) ?? 0).rounded())))
    case .real where Double(text).map(\.isFinite) ?? false: out.append(utf8: "\(Double(text) ?? 0)")
    default: out.append(column.nullable || column.code == .date ? Self.null : column.absentOrEmpty)
    }
  }

  private mutating func writeBrokenText(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let column = cursor.map.columns[index].column
    report(.textNotUTF8, "'\(column)' holds bytes that are not UTF-8", cursor, column)
    keepRaw(cursor, index)
    out.appendJSONString(cursor.statement.text(at: cursor.positions[index]) ?? "")
  }

  private mutating func writeMarks(
    _ index: Int, _ cursor: RowCursor, _ text: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer
  ) {
    reportMarks(index, cursor)
    MarkRuns.cut(text).withUnsafeBufferPointer { out.appendJSONString($0) }
  }

  mutating func reportMarks(_ index: Int, _ cursor: RowCursor) {
    let column = cursor.map.columns[index].column
    report(
      .endlessMarks, "'\(column)' has more than \(JSONLimits.combiningMarks) combining marks in a row, out of order",
      cursor, column)
    keepRaw(cursor, index)
  }

  private func writeReal(
    _ cursor: RowCursor, _ position: Int, _ storage: SQLiteStatement.Storage, into out: inout ByteBuffer
  ) {
    let value = cursor.statement.double(at: position)
    if value.isInfinite { return out.append(value < 0 ? "-1e999" : "1e999") }
    out.append(utf8: "\(value)")
  }

  private mutating func writeDate(
    _ index: Int, _ cursor: RowCursor, _ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer
  ) {
    let column = cursor.map.columns[index].column
    let shown = String(decoding: bytes.prefix(60), as: UTF8.self)
    guard let (date, quirks) = Timestamp.parse(bytes) else {
      report(.dateUndecodable, "'\(column)' is \"\(shown)\", no date", cursor, column)
      keepRaw(cursor, index)
      return out.append("null")
    }
    if quirks.contains(.undecodable) {
      report(.dateUndecodable, "'\(column)' is \"\(shown)\"; it is read as \(date.iso8601)", cursor, column)
      keepRaw(cursor, index)
    } else if quirks.contains(.rollsOver) {
      report(.dateRollsOver, "'\(column)' is \"\(shown)\"; the app reads it as \(date.iso8601)", cursor, column)
      keepRaw(cursor, index)
    } else if quirks.contains(.otherForm) || quirks.contains(.cut) {
      report(.dateNotCanonical, "'\(column)' is \"\(shown)\"; it is read as \(date.iso8601)", cursor, column)
      if quirks.contains(.cut) { keepRaw(cursor, index) }
    }
    out.appendJSONDate(date)
  }

  /// Takes the columns that nobody knows.
  mutating func takeUnknownColumns(_ cursor: RowCursor) {
    for (position, name) in cursor.unknown {
      var json = ByteBuffer(capacity: 64)
      StoredValue.append(cursor.statement, position: position, into: &json)
      extras.columns.append((cursor.map.table, name, Array(json.bytes)))
    }
  }
}
