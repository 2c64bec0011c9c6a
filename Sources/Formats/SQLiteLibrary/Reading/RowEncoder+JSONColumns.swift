import Content
import Diagnostics
import JSONText
import SQLiteIO

extension RowEncoder {
  mutating func writeSections(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    if let knownSections, RawBytes.equal(text, knownSections) { return out.append(text) }
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("[]") }
      writeSections(node, isDense: !parse.traits.contains(.spaced), index, cursor, into: &out)
    } catch {
      recover(index, cursor, text, error, .contentNotJSON, whole: "[]", into: &out)
    }
  }

  /// The value of a column; nil if it has too many values for one record, which is reported.
  private mutating func node(
    _ text: UnsafeBufferPointer<UInt8>, _ parse: JSONParse, _ index: Int, _ cursor: RowCursor
  ) -> JSONNode? {
    // parse() refuses texts without an address, so there is one.
    let node = JSONNode(text: text.baseAddress ?? EncodedColumn.nowhere, tokens: tape.tokens, index: parse.root)
    return fits(node, index, cursor) ? node : nil
  }

  private mutating func fits(_ node: JSONNode, _ index: Int, _ cursor: RowCursor) -> Bool {
    guard !RecordLimits.fits(node) else { return true }
    report(.recordTooLarge, RecordLimits.problem(node), cursor, cursor.map.columns[index].column)
    keepRaw(cursor, index)
    return false
  }

  private mutating func forgetTokens() {
    // The record is parsed again where it is checked: two sets of tokens of a large one take too much memory.
    if tape.count > 1 << 16 { tape = JSONTape(capacity: 1024) } else { tape.removeAll() }
  }

  private mutating func writeSections(
    _ node: JSONNode, isDense: Bool, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
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
    let start = out.count
    canonicalizer.begin(sections, recordID: recordID)
    canonicalizer.writeSections(sections, isDense: isDense, into: &out)
    if !canonicalizer.issues.isEmpty, writeMisspelled(sections, index, cursor, from: start, into: &out) { return }
    guard finishColumn(index, cursor, keep: node.kind == .array, from: start, empty: "[]", &out) else { return }
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
      writeRecoveredSections(node, index, cursor, into: &out)
    }
  }

  mutating func writeTags(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    if text.count == 2, text[0] == UInt8(ascii: "["), text[1] == UInt8(ascii: "]") { return out.append("[]") }
    do throws(JSONError) {
      let parse = try tape.parse(text)
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
      guard !MarkRuns.isTooLong(in: text) else {
        reportMarks(index, cursor)
        return out.append("[]")
      }
      guard text.first == UInt8(ascii: "["), let recovered = RecoveredText(text, .texts) else {
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

  /// Writes tags that are separated by commas or semicolons.
  private mutating func writeTagList(
    _ list: String, _ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer
  ) {
    let count = list.utf8.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == 0x0A } + 1
    guard RecordLimits.fits(values: count, bytes: list.utf8.count) else {
      report(.recordTooLarge, RecordLimits.problem(values: count), cursor, cursor.map.columns[index].column)
      keepRaw(cursor, index)
      return out.append("[]")
    }
    reportTags(index, cursor)
    Canonicalizer.appendList(list, into: &out)
  }

  private mutating func reportTags(_ index: Int, _ cursor: RowCursor) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    let shown = String(decoding: text.prefix(60), as: UTF8.self)
    report(.tagsNotStrings, "tags is \"\(shown)\", no JSON array of strings", cursor, "tags")
    keepRaw(cursor, index)
  }

  mutating func writeItemStates(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("{}") }
      guard node.kind == .object else {
        report(.itemStatesUndecodable, "the ticks are \(Self.name(of: node)), not an object", cursor, "itemStates")
        keepRaw(cursor, index)
        return out.append("{}")
      }
      let start = out.count
      canonicalizer.begin(node, recordID: innerScope)
      canonicalizer.writeItemStates(node, into: &out)
      finishColumn(index, cursor, keep: true, from: start, empty: "{}", &out)
    } catch {
      recover(index, cursor, text, error, .itemStatesUndecodable, whole: "{}", into: &out)
    }
  }

  mutating func writePublicMetadata(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text)
      defer { forgetTokens() }
      guard let node = node(text, parse, index, cursor) else { return out.append("null") }
      if let problem = PublicMetadataCheck.problem(node) {
        report(.publicMetadataUndecodable, problem.message, cursor, "publicMetadata", pointer: problem.pointer)
      }
      guard node.kind == .object else {
        keepRaw(cursor, index)
        return out.append("null")
      }
      canonicalizer.begin(node, recordID: recordID)
      canonicalizer.writeCarried(node, Shapes.publicMetadata, into: &out)
      reportIssues(index, cursor, keep: true)
    } catch {
      report(.publicMetadataUndecodable, "publicMetadata is no JSON: \(error.message)", cursor, "publicMetadata")
      keepRaw(cursor, index)
      out.append("null")
    }
  }

  mutating func writePayload(_ index: Int, _ cursor: RowCursor, into out: inout ByteBuffer) {
    let text = cursor.statement.bytes(at: cursor.encoded[index].position)
    do throws(JSONError) {
      let parse = try tape.parse(text)
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
      if node.isNull { keepRaw(cursor, index) }
    } catch {
      report(
        .payloadUndecodable, "the payload is no JSON: \(error.message)", cursor, "payload",
        severity: history(cursor))
      keepRaw(cursor, index)
      out.append("null")
    }
  }

  /// What was sent already is only worth a note.
  private func history(_ cursor: RowCursor) -> Severity? { OperationCheck.isDone(cursor) ? .note : nil }

  // MARK: What the canonicaliser found

  /// Reports what was found in a column's text.
  /// - Parameters:
  ///   - start: where the column begins in `out`.
  ///   - empty: what is written in place of a text that became too long.
  /// - Returns: whether the column is written.
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
    if canonicalizer.altered, keep { keepRaw(cursor, index) }
  }

  private func reportDuplicateIDs(_ sections: JSONNode, _ cursor: RowCursor) {
    guard let twice = InnerIDs.firstDuplicate(canonicalizer.innerIDs, in: sections) else { return }
    report(
      .duplicateItemID, "the id \(twice.id) occurs more than once in this checklist", cursor, "content",
      pointer: sections.pointer(to: twice.token).description)
  }

  /// Writes what can be recovered of a text that is not JSON.
  private mutating func recover(
    _ index: Int, _ cursor: RowCursor, _ text: UnsafeBufferPointer<UInt8>, _ error: JSONError,
    _ code: DiagnosticCode, whole empty: StaticString, into out: inout ByteBuffer
  ) {
    let column = cursor.map.columns[index].column
    let isContent = column == "content"
    keepRaw(cursor, index)
    let position = error.position(in: text)
    let place = "at character \(position.column)" + (position.line > 1 ? " of line \(position.line)" : "")
    guard let recovered = RecoveredText(text, isContent ? .sections : .ticks) else {
      report(code, "\(error.message) (\(place)); nothing of it can be read", cursor, column)
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

  /// Sections that lack a required member because its name is damaged; false if that is not the reason.
  private mutating func writeMisspelled(
    _ sections: JSONNode, _ index: Int, _ cursor: RowCursor, from start: Int, into out: inout ByteBuffer
  ) -> Bool {
    let codes = canonicalizer.issues.map(\.code)
    guard codes.contains(.missingMember), codes.contains(.unknownMember),
      let recovered = RecoveredText(sections.raw, .sections), !recovered.misspelled.isEmpty
    else { return false }
    out.truncate(to: start)
    keepRaw(cursor, index)
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
