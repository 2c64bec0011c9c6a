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
  let findings: DiagnosticLog
  private var canonicalizer = Canonicalizer(mode: .column)
  private var tape = JSONTape(capacity: 1024)
  /// Originals that could not be taken as they are, by column; they go to `extras.raw`.
  private(set) var raws: [(column: String, json: [UInt8])] = []
  /// Values of unknown columns, by table; they go to `extras.columns`.
  private(set) var extraColumns: [(table: String, column: String, json: [UInt8])] = []
  /// The record's id as it is written.
  var recordID = ""
  /// What findings call the record, before its id.
  var recordLabel = ""
  /// The scope of ids inside the record: its own id, or the checklist's for ticks.
  var innerScope = ""

  init(file: String, findings: DiagnosticLog) {
    self.file = file
    self.findings = findings
    canonicalizer.collectsUnknown = true
  }

  /// Forgets the record before.
  mutating func begin(id: String, label: String) {
    if !raws.isEmpty { raws.removeAll(keepingCapacity: true) }
    if !extraColumns.isEmpty { extraColumns.removeAll(keepingCapacity: true) }
    recordID = id
    recordLabel = label
    innerScope = id
  }

  // MARK: Places and findings

  func place(_ cursor: RowCursor, _ column: String?, _ pointer: String = "") -> Place {
    Place(
      file: file,
      row: Place.Row(table: cursor.map.table, id: String(decoding: cursor.id, as: UTF8.self), column: column),
      pointer: pointer)
  }

  func report(
    _ code: DiagnosticCode, _ message: String, _ cursor: RowCursor, _ column: String?, pointer: String = "",
    severity: Severity? = nil
  ) {
    findings.report(
      Diagnostic(
        code, message, at: place(cursor, column, pointer), record: recordLabel + " " + recordID, severity: severity))
  }

  /// Keeps a column's original beside the recovered value.
  mutating func keepRaw(_ cursor: RowCursor, _ index: Int, original: [UInt8]? = nil) {
    let column = cursor.map.columns[index].column
    let isBody = cursor.map.table == "checklists" || cursor.map.table == "practice_guides"
    let own = column == "content" || column == "markdown" || column == "checklistType"
    let name = isBody && !own ? "\(cursor.map.table).\(column)" : column
    if let original { return raws.append((name, original)) }
    var json = ByteBuffer(capacity: 256)
    Self.appendValue(cursor, position: cursor.positions[index], into: &json)
    raws.append((name, Array(json.bytes)))
  }

  mutating func keepRaw(_ column: String, text: String) {
    var json = ByteBuffer(capacity: 64)
    json.appendJSONString(text)
    raws.append((column, Array(json.bytes)))
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
    Self.appendValue(cursor, position: position, into: &original)
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
    case .text where storage != .blob: out.appendJSONString(text)
    case .text:
      out.appendJSONString(text)
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

  // MARK: JSON columns

  private mutating func writeSections(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.positions[index])
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { tape.removeAll() }
      writeSections(node(text, parse), index, cursor, into: &out)
    } catch {
      recover(index, cursor, text, error, .contentNotJSON, whole: "[]", into: &out)
    }
  }

  private func node(_ text: UnsafeBufferPointer<UInt8>, _ parse: JSONParse) -> JSONNode {
    // parse() refuses texts without an address, so there is one.
    JSONNode(text: text.baseAddress ?? EncodedColumn.nowhere, tokens: tape.tokens, index: parse.root)
  }

  private mutating func writeSections(
    _ node: JSONNode, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    var sections = node
    if node.kind != .array {
      report(
        .contentNotSections, "the content is \(Self.name(of: node)), not an array of sections", cursor, "content")
      keepRaw(cursor, index)
      if let inner = node.member("sections") {
        sections = inner
      } else if node.member("items") != nil {
        return writeSingleSection(node, index, cursor, into: &out)
      } else if let text = node.string {
        return writeInnerText(text, index, cursor, into: &out)
      } else {
        return out.append("[]")
      }
      guard sections.kind == .array else { return out.append("[]") }
    }
    canonicalizer.begin(sections, recordID: recordID)
    canonicalizer.writeSections(sections, into: &out)
    finishColumn(index, cursor, keep: node.kind == .array)
    reportDuplicateIDs(sections, cursor)
  }

  /// One section that is not in an array.
  private mutating func writeSingleSection(
    _ node: JSONNode, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    var text = "["
    text += String(decoding: node.raw, as: UTF8.self) + "]"
    writeInnerText(text, index, cursor, into: &out)
  }

  /// Sections that stand in a text of their own: encoded twice, or wrapped here.
  private mutating func writeInnerText(
    _ text: String, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    guard let inner = try? JSONDocument(parsing: text) else { return out.append("[]") }
    inner.withNode(inner.root.tokenIndex) { node in
      guard node.kind == .array else { return out.append("[]") }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeSections(node, into: &out)
      finishColumn(index, cursor, keep: false)
    }
  }

  private mutating func writeTags(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.positions[index])
    if text.count == 2, text[0] == UInt8(ascii: "["), text[1] == UInt8(ascii: "]") { return out.append("[]") }
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { tape.removeAll() }
      let node = node(text, parse)
      if node.kind == .array {
        canonicalizer.begin(node, recordID: recordID)
        canonicalizer.writeTags(node, into: &out)
        finishColumn(index, cursor, keep: true)
      } else {
        reportTags(index, cursor, text)
        if let list = node.string { Canonicalizer.appendList(list, into: &out) } else { out.append("[]") }
      }
    } catch {
      reportTags(index, cursor, text)
      Canonicalizer.appendList(String(decoding: text, as: UTF8.self), into: &out)
    }
  }

  private mutating func reportTags(_ index: Int, _ cursor: RowCursor, _ text: UnsafeBufferPointer<UInt8>) {
    let shown = String(decoding: text.prefix(60), as: UTF8.self)
    report(.tagsNotStrings, "tags is \"\(shown)\", no JSON array of strings", cursor, "tags")
    keepRaw(cursor, index)
  }

  private mutating func writeItemStates(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.positions[index])
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { tape.removeAll() }
      let node = node(text, parse)
      guard node.kind == .object else {
        report(.itemStatesUndecodable, "the ticks are \(Self.name(of: node)), not an object", cursor, "itemStates")
        keepRaw(cursor, index)
        return out.append("{}")
      }
      canonicalizer.begin(node, recordID: innerScope)
      canonicalizer.writeItemStates(node, into: &out)
      finishColumn(index, cursor, keep: true)
    } catch {
      recover(index, cursor, text, error, .itemStatesUndecodable, whole: "{}", into: &out)
    }
  }

  private mutating func writePublicMetadata(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.positions[index])
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { tape.removeAll() }
      let node = node(text, parse)
      if let problem = PublicMetadataCheck.problem(node) {
        report(.publicMetadataUndecodable, problem, cursor, "publicMetadata")
      }
      guard node.kind == .object else {
        keepRaw(cursor, index)
        return out.append("null")
      }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeCarried(node, Shapes.publicMetadata, into: &out)
      finishColumn(index, cursor, keep: true)
    } catch {
      report(.publicMetadataUndecodable, "publicMetadata is no JSON: \(error.message)", cursor, "publicMetadata")
      keepRaw(cursor, index)
      out.append("null")
    }
  }

  private mutating func writePayload(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.positions[index])
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { tape.removeAll() }
      let node = node(text, parse)
      for (code, message, pointer) in PayloadCheck.problems(node) {
        report(code, message, cursor, "payload", pointer: pointer)
      }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeCarried(node, Shapes.payload, into: &out)
      finishColumn(index, cursor, keep: true)
      if node.isNull { keepRaw(cursor, index) }
    } catch {
      report(.payloadUndecodable, "the payload is no JSON: \(error.message)", cursor, "payload")
      keepRaw(cursor, index)
      out.append("null")
    }
  }

  // MARK: What the canonicaliser found

  private mutating func finishColumn(_ index: Int, _ cursor: RowCursor, keep: Bool) {
    guard !canonicalizer.issues.isEmpty || canonicalizer.altered else { return }
    let column = cursor.map.columns[index].column
    for issue in canonicalizer.issues {
      report(issue.code, issue.message, cursor, column, pointer: issue.pointer.description)
    }
    if canonicalizer.altered, keep { keepRaw(cursor, index) }
  }

  private func reportDuplicateIDs(_ sections: JSONNode, _ cursor: RowCursor) {
    guard let twice = InnerIDs.firstDuplicate(canonicalizer.innerIDs, in: sections) else { return }
    report(
      .duplicateItemID, "the id \(twice) occurs more than once in this checklist", cursor, "content")
  }

  /// Text that is not JSON: what stands before and after the break is recovered as far as it makes sense.
  private mutating func recover(
    _ index: Int, _ cursor: RowCursor, _ text: UnsafeBufferPointer<UInt8>, _ error: JSONError,
    _ code: DiagnosticCode, whole empty: StaticString, into out: inout ByteBuffer
  ) {
    let column = cursor.map.columns[index].column
    keepRaw(cursor, index)
    let repaired = JSONRepair.repair(text)
    let position = error.position(in: text)
    let place = "at character \(position.column)" + (position.line > 1 ? " of line \(position.line)" : "")
    guard let repaired, let document = try? JSONDocument(parsing: repaired.text) else {
      report(code, "\(error.message) (\(place)); nothing of it can be read", cursor, column)
      return out.append(empty)
    }
    report(
      code, "\(error.message) (\(place)); \(repaired.isComplete ? "all of it" : "what stands before it") is recovered",
      cursor, column)
    document.withNode(document.root.tokenIndex) { node in
      if column == "content" {
        writeRecoveredSections(node, index, cursor, into: &out)
      } else if node.kind == .object {
        canonicalizer.begin(node, recordID: innerScope)
        canonicalizer.writeItemStates(node, into: &out)
        finishColumn(index, cursor, keep: false)
      } else {
        out.append(empty)
      }
    }
  }

  private mutating func writeRecoveredSections(
    _ node: JSONNode, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    let sections = node.kind == .array ? node : node.member("sections") ?? node
    guard sections.kind == .array else { return out.append("[]") }
    canonicalizer.begin(sections, recordID: recordID)
    canonicalizer.writeSections(sections, into: &out)
    finishColumn(index, cursor, keep: false)
  }

  static func name(of node: JSONNode) -> String {
    switch node.kind {
    case .null: "null"
    case .true, .false: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  // MARK: Extras

  /// Takes the columns that nobody knows.
  mutating func takeUnknownColumns(_ cursor: RowCursor) {
    for (position, name) in cursor.unknown {
      var json = ByteBuffer(capacity: 64)
      Self.appendValue(cursor, position: position, into: &json)
      extraColumns.append((cursor.map.table, name, Array(json.bytes)))
    }
  }

  /// Writes `,"extras":{…}` when there is something to keep.
  func writeExtras(into out: inout ByteBuffer, other: [UInt8]? = nil) {
    guard !raws.isEmpty || !extraColumns.isEmpty || other != nil else { return }
    out.append(",\"extras\":{")
    var first = true
    func key(_ text: String, _ first: inout Bool, _ out: inout ByteBuffer) {
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      out.appendJSONString(text)
      out.append(UInt8(ascii: ":"))
    }
    if !raws.isEmpty {
      key("raw", &first, &out)
      out.append(UInt8(ascii: "{"))
      var inner = true
      for (column, json) in raws {
        key(column, &inner, &out)
        json.withUnsafeBufferPointer { out.append($0) }
      }
      out.append(UInt8(ascii: "}"))
    }
    if !extraColumns.isEmpty {
      key("columns", &first, &out)
      out.append(UInt8(ascii: "{"))
      var table = ""
      var inner = true
      for column in extraColumns {
        if column.table != table {
          if !table.isEmpty { out.append(UInt8(ascii: "}")) }
          var outer = table.isEmpty
          key(column.table, &outer, &out)
          out.append(UInt8(ascii: "{"))
          table = column.table
          inner = true
        }
        key(column.column, &inner, &out)
        column.json.withUnsafeBufferPointer { out.append($0) }
      }
      out.append("}}")
    }
    if let other {
      key("other_body", &first, &out)
      other.withUnsafeBufferPointer { out.append($0) }
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Writes any stored value as JSON: blobs, and text that is not UTF-8, as `{"$hex":"…"}`.
  static func appendValue(_ cursor: RowCursor, position: Int, into out: inout ByteBuffer) {
    appendValue(cursor.statement, position: position, into: &out)
  }

  static func appendValue(_ statement: SQLiteStatement, position: Int, into out: inout ByteBuffer) {
    switch statement.storage(at: position) {
    case .null: out.append("null")
    case .integer: out.append(utf8: String(statement.integer(at: position)))
    case .real:
      let value = statement.double(at: position)
      out.append(utf8: value.isFinite ? "\(value)" : value < 0 ? "-1e999" : "1e999")
    case .text:
      let bytes = statement.bytes(at: position)
      if UTF8Check.firstInvalid(in: bytes) == nil { return out.appendJSONString(bytes) }
      appendHex(bytes, into: &out)
    case .blob: appendHex(statement.blob(at: position), into: &out)
    }
  }

  private static func appendHex(_ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    out.append("{\"$hex\":\"")
    out.append(utf8: Digest.hex(Array(bytes)))
    out.append("\"}")
  }
}
