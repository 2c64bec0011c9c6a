import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Writes a row's columns as the members of a record. Repairs and reports values that the app would lose.
///
/// Each reader has its own encoder, which holds the state of the record that is being written.
struct RowEncoder: ~Copyable {
  let file: String
  var findings: DiagnosticLog
  private var canonicalizer = Canonicalizer(mode: .column)
  private var tape = JSONTape(capacity: 1024)
  /// The record's extras.
  private(set) var extras = RecordExtras()
  /// The record's id in its written form.
  var recordID = ""
  /// The record's name in findings. The id is appended to it.
  var recordLabel = ""
  /// The sections that the record probably has, as a canonical array with known members only, which was parsed and
  /// checked before; nil if no sections are known. A column that holds exactly these bytes need not be parsed and
  /// checked again. The caller that sets this property owns the memory.
  var knownSections: UnsafeBufferPointer<UInt8>?
  /// The scope of ids inside the record: the record's own id, or the checklist's id for ticks.
  var innerScope = ""

  init(file: String, findings: DiagnosticLog) {
    self.file = file
    self.findings = findings
    canonicalizer.collectsUnknown = true
    canonicalizer.limitsSize = true
  }

  /// Clears the state of the previous record.
  mutating func begin(id: String, label: String) {
    extras.removeAll()
    recordID = id
    recordLabel = label
    innerScope = id
  }

  // MARK: Places and findings

  func place(_ cursor: RowCursor, _ column: String?, _ pointer: String = "") -> Place {
    // Findings are compared by their places, so a very long id is shortened to its beginning.
    let id = String(decoding: cursor.id.span.extracting(first: 1024))
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

  /// Stores a column's original value in the extras, in addition to the recovered value.
  mutating func storeRaw(_ cursor: RowCursor, _ index: Int, original: [UInt8]? = nil) {
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

  mutating func storeRaw(_ column: String, text: String) {
    var json = ByteBuffer(capacity: 64)
    StoredValue.append(text: text.utf8.span, into: &json)
    extras.raws.append((column, Array(json.bytes)))
  }

  // MARK: Columns

  /// Writes the value of one mapped column.
  mutating func write(_ index: Int, of cursor: RowCursor, into out: inout ByteBuffer) {
    let column = cursor.encoded[index]
    let position = column.position
    guard position >= 0 else { return out.append(column.absent.span) }
    let storage = cursor.statement.storage(at: position)
    switch (column.code, storage) {
    case (.text, .text):
      let bytes = cursor.statement.bytes(at: position).span
      guard UTF8Check.firstInvalid(in: bytes) == nil else { return writeBrokenText(index, cursor, into: &out) }
      guard !MarkRuns.isTooLong(in: bytes) else { return writeMarks(index, cursor, bytes, into: &out) }
      out.appendJSONString(bytes)
    case (.date, .text):
      let bytes = cursor.statement.bytes(at: position).span
      if bytes.count == 23, Timestamp.isPlain(bytes, separator: UInt8(ascii: " ")) {
        out.append(UInt8(ascii: "\""))
        out.append(bytes.extracting(first: 10))
        out.append(UInt8(ascii: "T"))
        out.append(bytes.extracting(11..<23))
        out.append("Z\"")
      } else {
        writeDate(index, cursor, bytes, into: &out)
      }
    case (.bool, .integer):
      let value = cursor.statement.integer(at: position)
      if value != 0, value != 1 { reportOdd(index, cursor, "is \(value), neither 0 nor 1") }
      out.append(value == 0 ? "false" : "true")
    case (.integer, .integer): out.append(utf8: String(cursor.statement.integer(at: position)))
    case (.real, .real), (.real, .integer): writeReal(cursor, position, storage, into: &out)
    case (.sections, .text): writeSections(index, cursor, into: &out)
    case (.tags, .text): writeTags(index, cursor, into: &out)
    case (.itemStates, .text): writeItemStates(index, cursor, into: &out)
    case (.publicMetadata, .text): writePublicMetadata(index, cursor, into: &out)
    case (.payload, .text): writePayload(index, cursor, into: &out)
    case (_, .null):
      if !column.nullable { reportOdd(index, cursor, "is NULL") }
      out.append((column.nullable || column.code == .date ? Self.null : column.absentOrEmpty).span)
    default: writeOdd(index, cursor, storage, into: &out)
    }
  }

  static var null: UnsafeBufferPointer<UInt8> { EncodedColumn.null }

  private mutating func reportOdd(_ index: Int, _ cursor: RowCursor, _ what: String, original: [UInt8]? = nil) {
    let column = cursor.map.columns[index].column
    report(.unexpectedStorage, "'\(column)' \(what)", cursor, column)
    storeRaw(cursor, index, original: original)
  }

  /// Writes a value whose type the app never stores in this column.
  private mutating func writeOdd(
    _ index: Int, _ cursor: RowCursor, _ storage: SQLiteStatement.Storage, into out: inout ByteBuffer
  ) {
    let column = cursor.encoded[index]
    let position = column.position
    // Reading a blob as text converts it, so the original is copied first.
    var original = ByteBuffer(capacity: 64)
    StoredValue.append(cursor.statement, position: position, into: &original)
    let text = cursor.statement.text(at: position) ?? ""
    if column.code == .date, storage == .integer || storage == .real {
      // The app reads numbers as seconds since 1970.
      let seconds = cursor.statement.double(at: position)
      if seconds.isFinite, abs(seconds) < 1e12 {
        report(
          .dateNotCanonical, "'\(cursor.map.columns[index].column)' is the number \(text), seconds since 1970", cursor,
          cursor.map.columns[index].column)
        return out.appendJSONDate(Timestamp(milliseconds: Int64((seconds * 1000).rounded())))
      }
    }
    reportOdd(
      index, cursor, "holds \(storage == .blob ? "a blob" : "\(storage) \(text.prefix(40))")",
      original: Array(original.bytes))
    switch column.code {
    case .text: out.appendJSONString(text)
    // A blob may contain exactly the JSON that belongs in this column.
    case .sections where storage == .blob: writeSections(index, cursor, into: &out)
    case .tags where storage == .blob: writeTags(index, cursor, into: &out)
    case .itemStates where storage == .blob: writeItemStates(index, cursor, into: &out)
    case .publicMetadata where storage == .blob: writePublicMetadata(index, cursor, into: &out)
    case .payload where storage == .blob: writePayload(index, cursor, into: &out)
    case .bool: out.append(["1", "true", "yes"].contains(text.lowercased()) ? "true" : "false")
    case .integer where Double(text).map { $0.isFinite && abs($0) < 1e15 } ?? false:
      out.append(utf8: String(Int64((Double(text) ?? 0).rounded())))
    case .real where Double(text).map(\.isFinite) ?? false: out.append(utf8: "\(Double(text) ?? 0)")
    default: out.append((column.nullable || column.code == .date ? Self.null : column.absentOrEmpty).span)
    }
  }

  private mutating func writeBrokenText(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let column = cursor.map.columns[index].column
    report(.textNotUTF8, "'\(column)' holds bytes that are not UTF-8", cursor, column)
    storeRaw(cursor, index)
    out.appendJSONString(cursor.statement.text(at: cursor.positions[index]) ?? "")
  }

  private mutating func writeMarks(
    _ index: Int, _ cursor: RowCursor, _ text: Span<UInt8>, into out: inout ByteBuffer
  ) {
    reportMarks(index, cursor)
    out.appendJSONString(MarkRuns.cut(text).span)
  }

  private mutating func reportMarks(_ index: Int, _ cursor: RowCursor) {
    let column = cursor.map.columns[index].column
    report(
      .endlessMarks, "'\(column)' has more than \(JSONLimits.combiningMarks) consecutive combining marks out of order",
      cursor, column)
    storeRaw(cursor, index)
  }

  private func writeReal(
    _ cursor: RowCursor, _ position: Int, _ storage: SQLiteStatement.Storage, into out: inout ByteBuffer
  ) {
    let value = cursor.statement.double(at: position)
    if value.isInfinite { return out.append(value < 0 ? "-1e999" : "1e999") }
    out.append(utf8: "\(value)")
  }

  private mutating func writeDate(
    _ index: Int, _ cursor: RowCursor, _ bytes: Span<UInt8>, into out: inout ByteBuffer
  ) {
    let column = cursor.map.columns[index].column
    let shown = String(decoding: bytes.extracting(first: 60))
    guard let (date, quirks) = Timestamp.parse(bytes) else {
      report(.dateUndecodable, "'\(column)' is \"\(shown)\", which is not a date", cursor, column)
      storeRaw(cursor, index)
      return out.append("null")
    }
    if quirks.contains(.undecodable) {
      report(.dateUndecodable, "'\(column)' is \"\(shown)\"; it is read as \(date.iso8601)", cursor, column)
      storeRaw(cursor, index)
    } else if quirks.contains(.rollsOver) {
      report(.dateRollsOver, "'\(column)' is \"\(shown)\"; the app reads it as \(date.iso8601)", cursor, column)
      storeRaw(cursor, index)
    } else if quirks.contains(.otherForm) || quirks.contains(.cut) {
      report(.dateNotCanonical, "'\(column)' is \"\(shown)\"; it is read as \(date.iso8601)", cursor, column)
      if quirks.contains(.cut) { storeRaw(cursor, index) }
    }
    out.appendJSONDate(date)
  }

  /// Collects the unknown columns.
  mutating func collectUnknownColumns(_ cursor: RowCursor) {
    for (position, name) in cursor.unknown {
      var json = ByteBuffer(capacity: 64)
      StoredValue.append(cursor.statement, position: position, into: &json)
      extras.columns.append((cursor.map.table, name, Array(json.bytes)))
    }
  }

  mutating func writeSections(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    if let knownSections, text.span.equals(knownSections.span) { return out.append(text.span) }
    do throws(JSONError) {
      let parse = try tape.parse(text.span)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("[]") }
      writeSections(node, isDense: !parse.traits.contains(.spaced), index, cursor, into: &out)
    } catch {
      recover(index, cursor, text.span, error, .contentNotJSON, whole: "[]", into: &out)
    }
  }

  /// Returns the parsed value of a column. If the column contains too many values for one record, reports that and
  /// returns nil.
  private mutating func node(
    _ text: UnsafeBufferPointer<UInt8>, _ parse: JSONParse, _ index: Int, _ cursor: RowCursor
  ) -> JSONNode? {
    // parse() refuses buffers without a base address, so this buffer has one.
    let node = JSONNode(text: text.baseAddress ?? EncodedColumn.nowhere, tokens: tape.tokens, index: parse.root)
    return fits(node, index, cursor) ? node : nil
  }

  private mutating func fits(_ node: JSONNode, _ index: Int, _ cursor: RowCursor) -> Bool {
    guard !RecordLimits.fits(node) else { return true }
    report(.recordTooLarge, RecordLimits.problem(node), cursor, cursor.map.columns[index].column)
    storeRaw(cursor, index)
    return false
  }

  private mutating func forgetTokens() {
    // The record is parsed again when it is checked. For a large record, two token arrays would take too much memory.
    if tape.count > 1 << 16 { tape = JSONTape(capacity: 1024) } else { tape.removeAll() }
  }

  private mutating func writeSections(
    _ node: JSONNode, isDense: Bool, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    var sections = node
    if node.kind != .array {
      report(
        .contentNotSections, "the content is \(Self.name(of: node)), not an array of sections", cursor, "content")
      storeRaw(cursor, index)
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
    let start = out.count
    canonicalizer.begin(sections, recordID: recordID)
    canonicalizer.writeSections(sections, isDense: isDense, into: &out)
    if !canonicalizer.issues.isEmpty, writeMisspelled(sections, index, cursor, from: start, into: &out) { return }
    guard finishColumn(index, cursor, keep: node.kind == .array, from: start, empty: "[]", &out) else { return }
    reportDuplicateIDs(sections, cursor)
  }

  /// Writes a single section that is not in an array.
  private mutating func writeSingleSection(
    _ node: JSONNode, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    var text = "["
    text += String(decoding: node.raw, as: UTF8.self) + "]"
    writeInnerText(text, index, cursor, into: &out)
  }

  /// Writes sections from an inner JSON document: one that was encoded twice, or one that the caller wrapped in an
  /// array.
  private mutating func writeInnerText(
    _ text: String, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    guard let inner = try? JSONDocument(parsing: text) else { return out.append("[]") }
    inner.withNode(inner.root.tokenIndex) { node in
      writeRecoveredSections(node, index, cursor, into: &out)
    }
  }

  mutating func writeTags(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    if text.count == 2, text[0] == UInt8(ascii: "["), text[1] == UInt8(ascii: "]") { return out.append("[]") }
    do throws(JSONError) {
      let parse = try tape.parse(text.span)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("[]") }
      if node.kind == .array {
        let start = out.count
        canonicalizer.begin(node, recordID: recordID)
        canonicalizer.writeTags(node, into: &out)
        finishColumn(index, cursor, keep: true, from: start, empty: "[]", &out)
      } else {
        writeTagList(node.string ?? "", index, cursor, into: &out)
      }
    } catch {
      guard !MarkRuns.isTooLong(in: text.span) else {
        reportMarks(index, cursor)
        return out.append("[]")
      }
      guard text.first == UInt8(ascii: "["), let recovered = RecoveredText(text.span, .texts) else {
        return writeTagList(String(decoding: text, as: UTF8.self), index, cursor, into: &out)
      }
      reportTags(index, cursor)
      report(recovered.losses, cursor, cursor.map.columns[index].column)
      recovered.document.withNode(recovered.document.root.tokenIndex) { node in
        guard fits(node, index, cursor) else { return out.append("[]") }
        let start = out.count
        canonicalizer.begin(node, recordID: recordID)
        canonicalizer.writeTags(node, into: &out)
        finishColumn(index, cursor, keep: true, from: start, empty: "[]", &out)
      }
    }
  }

  /// Writes a list of tags that are separated by commas or semicolons.
  private mutating func writeTagList(
    _ list: String, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    let count = list.utf8.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == 0x0A } + 1
    guard RecordLimits.fits(values: count, bytes: list.utf8.count) else {
      report(.recordTooLarge, RecordLimits.problem(values: count), cursor, cursor.map.columns[index].column)
      storeRaw(cursor, index)
      return out.append("[]")
    }
    reportTags(index, cursor)
    Canonicalizer.appendList(list, into: &out)
  }

  private mutating func reportTags(_ index: Int, _ cursor: RowCursor) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    let shown = String(decoding: text.prefix(60), as: UTF8.self)
    report(.tagsNotStrings, "tags is \"\(shown)\", not a JSON array of strings", cursor, "tags")
    storeRaw(cursor, index)
  }

  private mutating func writeItemStates(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text.span)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("{}") }
      guard node.kind == .object else {
        report(.itemStatesUndecodable, "the ticks are \(Self.name(of: node)), not an object", cursor, "itemStates")
        storeRaw(cursor, index)
        return out.append("{}")
      }
      let start = out.count
      canonicalizer.begin(node, recordID: innerScope)
      canonicalizer.writeItemStates(node, into: &out)
      finishColumn(index, cursor, keep: true, from: start, empty: "{}", &out)
    } catch {
      recover(index, cursor, text.span, error, .itemStatesUndecodable, whole: "{}", into: &out)
    }
  }

  private mutating func writePublicMetadata(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text.span)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("null") }
      if let problem = PublicMetadataCheck.problem(node) {
        report(.publicMetadataUndecodable, problem.message, cursor, "publicMetadata", pointer: problem.pointer)
      }
      guard node.kind == .object else {
        storeRaw(cursor, index)
        return out.append("null")
      }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeCarried(node, Shapes.publicMetadata, into: &out)
      reportIssues(index, cursor, keep: true)
    } catch {
      report(.publicMetadataUndecodable, "publicMetadata is not JSON: \(error.message)", cursor, "publicMetadata")
      storeRaw(cursor, index)
      out.append("null")
    }
  }

  private mutating func writePayload(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text.span)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("null") }
      let problems = PayloadCheck.problems(
        node, needsNoContent: OperationCheck.isWithdrawal(cursor) || OperationCheck.isDone(cursor))
      for (code, message, pointer) in problems {
        report(code, message, cursor, "payload", pointer: pointer, severity: history(cursor))
      }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeCarried(node, Shapes.payload, into: &out)
      reportIssues(index, cursor, keep: true, severity: canonicalizer.issues.isEmpty ? nil : history(cursor))
      if node.isNull { storeRaw(cursor, index) }
    } catch {
      report(
        .payloadUndecodable, "the payload is not JSON: \(error.message)", cursor, "payload",
        severity: history(cursor))
      storeRaw(cursor, index)
      out.append("null")
    }
  }

  /// Returns the severity of a finding about an operation: a note if it was already sent, otherwise the default.
  private func history(_ cursor: RowCursor) -> Severity? { OperationCheck.isDone(cursor) ? .note : nil }

  // MARK: Findings of the canonicalizer

  /// Reports the canonicalizer's findings about a column.
  /// - Parameters:
  ///   - start: the offset in `out` at which the column begins.
  ///   - empty: the JSON that replaces a value that became too long.
  /// - Returns: whether the column was written.
  @discardableResult
  private mutating func finishColumn(
    _ index: Int, _ cursor: RowCursor, keep: Bool, from start: Int, empty: StaticString, _ out: inout ByteBuffer
  ) -> Bool {
    reportIssues(index, cursor, keep: keep)
    guard canonicalizer.isTooLong else { return true }
    out.truncate(to: start)
    out.append(empty)
    return false
  }

  private mutating func reportIssues(_ index: Int, _ cursor: RowCursor, keep: Bool, severity: Severity? = nil) {
    guard !canonicalizer.issues.isEmpty || canonicalizer.altered else { return }
    let column = cursor.map.columns[index].column
    for issue in canonicalizer.issues {
      report(issue.code, issue.message, cursor, column, pointer: issue.pointer.description, severity: severity)
    }
    if canonicalizer.altered, keep { storeRaw(cursor, index) }
  }

  private func reportDuplicateIDs(_ sections: JSONNode, _ cursor: RowCursor) {
    guard let twice = InnerIDs.firstDuplicate(canonicalizer.innerIDs, in: sections) else { return }
    report(
      .duplicateItemID, "the id \(twice.id) occurs more than once in this checklist", cursor, "content",
      pointer: sections.pointer(to: twice.token).description)
  }

  /// Writes the recoverable part of a string that is not valid JSON.
  private mutating func recover(
    _ index: Int, _ cursor: RowCursor, _ text: Span<UInt8>, _ error: JSONError,
    _ code: DiagnosticCode, whole empty: StaticString, into out: inout ByteBuffer
  ) {
    let column = cursor.map.columns[index].column
    let isContent = column == "content"
    storeRaw(cursor, index)
    let position = error.position(in: text)
    let place = "at character \(position.column)" + (position.line > 1 ? " of line \(position.line)" : "")
    guard let recovered = RecoveredText(text, isContent ? .sections : .ticks) else {
      report(code, "\(error.message) (\(place)); none of it can be read", cursor, column)
      return out.append(empty)
    }
    report(code, "\(error.message) (\(place)\(recovered.owner)); \(recovered.summary)", cursor, column)
    report(recovered.losses, cursor, column)
    recovered.document.withNode(recovered.document.root.tokenIndex) { node in
      if isContent {
        writeRecoveredSections(node, index, cursor, into: &out)
      } else if node.kind == .object, fits(node, index, cursor) {
        let start = out.count
        canonicalizer.begin(node, recordID: innerScope)
        canonicalizer.writeItemStates(node, into: &out)
        finishColumn(index, cursor, keep: false, from: start, empty: "{}", &out)
      } else {
        out.append(empty)
      }
    }
  }

  private func report(_ losses: [RecoveredText.Loss], _ cursor: RowCursor, _ column: String) {
    for (number, loss) in losses.prefix(RecordLimits.findings).enumerated() {
      let isLast = number == RecordLimits.findings - 1
      report(
        .partLost, loss.message + (isLast ? RecordLimits.notListed : ""), cursor, column,
        pointer: loss.pointer.description)
    }
  }

  /// Writes sections that lack a required member because the member's name is damaged. Returns false if the member is
  /// missing for another reason.
  private mutating func writeMisspelled(
    _ sections: JSONNode, _ index: Int, _ cursor: RowCursor, from start: Int, into out: inout ByteBuffer
  ) -> Bool {
    let codes = canonicalizer.issues.map(\.code)
    guard codes.contains(.missingMember), codes.contains(.unknownMember),
      let recovered = RecoveredText(sections.raw.span, .sections), !recovered.misspelled.isEmpty
    else { return false }
    out.truncate(to: start)
    storeRaw(cursor, index)
    for pointer in recovered.misspelled {
      guard case .member(let name)? = pointer.steps.last else { continue }
      report(
        .missingMember, "one letter of the name '\(name)' is wrong; the member is read as '\(name)'", cursor, "content",
        pointer: pointer.description)
    }
    recovered.document.withNode(recovered.document.root.tokenIndex) { node in
      writeRecoveredSections(node, index, cursor, into: &out)
    }
    return true
  }

  private mutating func writeRecoveredSections(
    _ node: JSONNode, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    let sections = node.kind == .array ? node : node.member("sections") ?? node
    guard sections.kind == .array, fits(sections, index, cursor) else { return out.append("[]") }
    let start = out.count
    canonicalizer.begin(sections, recordID: recordID)
    canonicalizer.writeSections(sections, into: &out)
    finishColumn(index, cursor, keep: false, from: start, empty: "[]", &out)
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
}

/// A record's extras: the originals of recovered values, and the unknown columns.
struct RecordExtras {
  /// The original values of columns that could not be read unchanged. They are written to `extras.raw`.
  var raws: [(column: String, json: [UInt8])] = []
  /// The values of unknown columns, by table. They are written to `extras.columns`.
  var columns: [(table: String, column: String, json: [UInt8])] = []

  /// Removes the extras of the previous record.
  mutating func removeAll() {
    if !raws.isEmpty { raws.removeAll(keepingCapacity: true) }
    if !columns.isEmpty { columns.removeAll(keepingCapacity: true) }
  }

  /// Writes `,"extras":{…}` unless the extras are empty.
  func write(into out: inout ByteBuffer, other: [UInt8]? = nil) {
    guard !raws.isEmpty || !columns.isEmpty || other != nil else { return }
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
        out.append(json.span)
      }
      out.append(UInt8(ascii: "}"))
    }
    if !columns.isEmpty {
      key("columns", &first, &out)
      out.append(UInt8(ascii: "{"))
      var table = ""
      var inner = true
      for column in columns {
        if column.table != table {
          if !table.isEmpty { out.append(UInt8(ascii: "}")) }
          var outer = table.isEmpty
          key(column.table, &outer, &out)
          out.append(UInt8(ascii: "{"))
          table = column.table
          inner = true
        }
        key(column.column, &inner, &out)
        out.append(column.json.span)
      }
      out.append("}}")
    }
    if let other {
      key("other_body", &first, &out)
      out.append(other.span)
    }
    out.append(UInt8(ascii: "}"))
  }
}

/// Checks the ids of the sections and steps in one checklist.
private enum InnerIDs {
  /// Returns the first id that occurs twice among the tokens, and the token of its second occurrence; nil if every id
  /// is unique.
  fileprivate static func firstDuplicate(_ indices: [Int], in node: JSONNode) -> (id: String, token: Int)? {
    guard indices.count > 1 else { return nil }
    if indices.count > 64 {
      var seen = Set<String>()
      for index in indices {
        let id = (node.at(index).string ?? "").uppercased()
        if !seen.insert(id).inserted { return (id, index) }
      }
      return nil
    }
    // There are few ids, so comparing the first and last eight bytes of each pair is faster than hashing.
    for right in 1..<indices.count {
      let key = prefix(node.at(indices[right]))
      for left in 0..<right where prefix(node.at(indices[left])) == key {
        if let id = node.at(indices[right]).string, id.uppercased() == node.at(indices[left]).string?.uppercased() {
          return (id, indices[right])
        }
      }
    }
    return nil
  }

  @inline(__always)
  private static func prefix(_ node: JSONNode) -> UInt64 {
    let inner = node.inner
    guard inner.count >= 8 else { return UInt64(inner.count) }
    // Bit 5 distinguishes lower-case letters from upper-case ones.
    return inner.span.word(at: 0) | 0x2020_2020_2020_2020
  }
}

/// Checks whether the app can decode a publication's metadata.
private enum PublicMetadataCheck {
  /// Returns the first problem and a JSON pointer to its position in the column; nil if the metadata has no problems.
  static func problem(_ node: JSONNode) -> (message: String, pointer: String)? {
    guard node.kind == .object else { return ("publicMetadata is \(RowEncoder.name(of: node)), not an object", "") }
    func wrong(_ name: StaticString, _ expected: String) -> (String, String) {
      let value = node.member(name)
      return (
        "'\(name)' is \(value.map { RowEncoder.name(of: $0) } ?? "missing")\(expected)", value == nil ? "" : "/\(name)"
      )
    }
    if node.member("publishedAt")?.kind != .number {
      return wrong("publishedAt", " where a number (seconds since 2001) was expected")
    }
    if node.member("publicID")?.kind != .string { return wrong("publicID", ", not a string") }
    if node.member("canFork")?.bool == nil { return wrong("canFork", ", not a boolean") }
    if node.member("authorUsername")?.kind != .string { return wrong("authorUsername", ", not a string") }
    if let author = node.member("authorUserId"), !author.isNull,
      author.string.map({ CanonicalUUID.form(of: $0) == .none }) ?? true
    {
      return ("'authorUserId' is not a UUID", "/authorUserId")
    }
    return nil
  }
}
