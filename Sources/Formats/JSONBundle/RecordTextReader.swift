import Content
import Diagnostics
import Interchange
import JSONText

/// Parses records. A canonical record is used in place, and any other record is rewritten. A record with wrong types is
/// rejected with the place of the error.
final class RecordTextReader {
  private let context: RunContext
  /// Whether each record is on its own line.
  var isLines: Bool
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var derived: [String: Int] = [:]
  /// The name in findings of the file that contains the records.
  private var name = ""
  /// The values from which ids are derived.
  private var idScope: [String] = []
  /// The file's number, for `RecordSlot.sourceFile`.
  private var file: Int32 = 0
  /// Whether the run's selection may include the current record. Problems of other records are not reported.
  private var isSelected = true

  init(context: RunContext, isLines: Bool) {
    self.context = context
    self.isLines = isLines
    canonicalizer.limitsSize = true
  }

  /// Begins a file.
  /// - Parameters:
  ///   - idScope: the values from which the ids of records without an id are derived. They do not depend on the file's
  ///     folder.
  ///   - file: the file's number among several files, as used by the locator of the batches.
  func begin(_ name: String, idScope: [String], file: Int32 = 0) {
    self.name = name
    self.idScope = idScope
    self.file = file
    if !derived.isEmpty { derived.removeAll() }
  }

  /// Reads a record from the batch's source.
  func read(_ span: RecordSpan, into batch: RecordBatch) {
    let parse: JSONParse
    isSelected = true
    do throws(JSONError) {
      parse = try batch.tape.parse(batch.source.bytes.span, in: span.start..<span.start + span.length)
    } catch {
      return rejectText(span, error, batch)
    }
    let node = JSONNode(text: batch.source.start, tokens: batch.tape.tokens, index: parse.root)
    let kind = kind(of: node, span)
    if !RecordLimits.fits(node) {
      isSelected = maySelect(node, kind)
      canonicalizer.begin(node, recordID: "")
      rejectLarge(node, span, kind, batch)
      return release(parse.root, span, batch)
    }
    let answer =
      span.listed == nil || span.listed == kind
      ? CanonicalCheck.classify(node, kind: kind, traits: parse.traits) : .unknown
    if answer != .unknown {
      var slot = RecordSlot(
        kind: kind, inSource: true, start: span.start, length: span.length, root: parse.root)
      slot.isPlain = answer == .plain
      locate(&slot, span)
      batch.slots.append(slot)
      return
    }
    isSelected = maySelect(node, kind)
    rewrite(node, kind: kind, span, batch)
    release(parse.root, span, batch)
  }

  /// Releases the tokens of a rewritten or rejected record.
  private func release(_ root: Int, _ span: RecordSpan, _ batch: RecordBatch) {
    batch.tape.truncate(to: root)
    // Validation parses a rejected record again, and two token arrays for a large record would take too much memory.
    if batch.tape.count == 0, span.length > BundleInput.chunk { batch.tape = JSONTape(capacity: 64) }
  }

  private func locate(_ slot: inout RecordSlot, _ span: RecordSpan) {
    slot.sourceStart = span.start
    slot.sourceLength = span.length
    slot.sourceLine = span.line
    slot.sourceColumn = span.column
    slot.sourceFile = file
  }

  /// Returns the kind that a record names, or the kind of its list, or `item` by default.
  private func kind(of node: JSONNode, _ span: RecordSpan) -> RecordKind {
    if let listed = span.listed, BundleLists.memberName(listed) != nil { return listed }
    if let member = node.member("kind") {
      if member.equals("item") { return .item }
      if let name = member.string { return RecordKind.known.first { $0.name == name } ?? RecordKind(name) }
    }
    return span.listed ?? .item
  }

  /// Whether the run's selection may include a record. Values of the wrong type are unknown.
  private func maySelect(_ node: JSONNode, _ kind: RecordKind) -> Bool {
    guard let selection = context.selection, BundleLists.memberName(kind) == nil else { return true }
    var tags: [String] = []
    node.member("tags")?.forEachElement { if let tag = $0.string { tags.append(tag) } }
    return selection.mayTake(
      kind, type: node.member("content_type")?.string, id: node.member("id")?.string,
      title: (node.member("title") ?? node.member("name"))?.string, tags: tags, path: name)
  }

  private func rewrite(_ node: JSONNode, kind: RecordKind, _ span: RecordSpan, _ batch: RecordBatch) {
    let start = batch.canonical.count
    var kind = kind
    // Repeated members are refused before any other check, because which of them counts would be a guess.
    if node.duplicateName != nil {
      canonicalizer.begin(node, recordID: "")
      return reject(node, span, kind, batch)
    }
    if let member = BundleLists.memberName(kind) {
      // An unknown member of the document is stored as a record, which the writer converts back to a member.
      batch.canonical.append("{\"kind\":\"member\",\"id\":")
      batch.canonical.appendJSONString(member)
      batch.canonical.append(",\"value\":")
      canonicalizer.begin(node, recordID: "")
      canonicalizer.writeAny(node, into: &batch.canonical)
      batch.canonical.append("}")
      kind = RecordKind("member")
    } else {
      canonicalizer.writeRecord(
        node, kind: kind, derivedID: { self.derivedID(node, kind) }, into: &batch.canonical)
    }
    report(span, kind, batch, title: (node.member("title") ?? node.member("name"))?.string)
    let hasKind = node.member("kind") != nil
    if canonicalizer.rejected || (!kind.isKnown && !hasKind && kind.name != "member") {
      batch.canonical.truncate(to: start)
      return reject(node, span, kind, batch)
    }
    if !kind.isKnown { reportUnknown(kind, span) }
    if !hasKind, [RecordKind.attachment, .practiceSession, .foreign].contains(kind) {
      // Unknown kinds have no default kind, so the kind is taken from the list.
      let body = batch.canonical.copy(start + 1..<batch.canonical.count)
      batch.canonical.truncate(to: start)
      batch.canonical.append(utf8: "{\"kind\":\"\(kind.name)\"" + (body.count > 1 ? "," : ""))
      batch.canonical.append(body.span)
    }
    batch.appendSlot(kind, from: start)
    locate(&batch.slots[batch.slots.count - 1], span)
  }

  /// Returns an id for a record without an id. The id is derived from the file's name, the record's title and the
  /// record's sequence number among records with the same title.
  private func derivedID(_ node: JSONNode, _ kind: RecordKind) -> String {
    var parts = idScope + [kind.name]
    for name: StaticString in ["title", "name", "checklist_id", "charter_id"] {
      if let text = node.member(name)?.string { parts.append(text) }
    }
    let key = parts.joined(separator: "\0")
    let repeats = derived[key, default: 0]
    derived[key] = repeats + 1
    return CanonicalUUID.derived(parts + (repeats == 0 ? [] : [String(repeats)]))
  }

  // MARK: Findings

  private func report(_ finding: Diagnostic) { if isSelected { context.findings.report(finding) } }

  private func report(_ span: RecordSpan, _ kind: RecordKind, _ batch: RecordBatch, title: String?) {
    for (issue, place) in zip(canonicalizer.issues, places(of: canonicalizer.issues, span, batch)) {
      report(
        Diagnostic(
          issue.code, issue.message, at: place, record: record(span, kind), title: title, severity: issue.severity,
          fix: issue.fix))
    }
  }

  /// Returns the places of issues. All places are found in one pass through the record, regardless of their number.
  private func places(of issues: [CanonicalIssue], _ span: RecordSpan, _ batch: RecordBatch) -> [Place] {
    var places = [Place](repeating: Place(file: name), count: issues.count)
    var line = span.line
    var column = span.column
    var at = span.start
    for index in issues.indices.sorted(by: { issues[$0].offset < issues[$1].offset }) {
      while at < min(issues[index].offset, span.start + span.length) {
        let byte = batch.source.start[at]
        if byte == 0x0A {
          line += 1
          column = 1
        } else if byte & 0xC0 != 0x80 {
          column += 1
        }
        at += 1
      }
      places[index] = Place(
        file: name, line: line, column: column, pointer: issues[index].pointer.description)
      let length = min(issues[index].length, span.start + span.length - at)
      if length > 0 {
        let meant = batch.source.bytes.span.extracting(at..<at + length)
        places[index].endColumn = column - 1 + TextPosition.column(of: length, lineStart: 0, in: meant)
      }
    }
    return places
  }

  private func reportUnknown(_ kind: RecordKind, _ span: RecordSpan) {
    let place = Place(file: name, line: span.line, column: span.column)
    if kind.name == "member" {
      let name = span.listed.flatMap(BundleLists.memberName) ?? ""
      let lists = RecordKind.known.compactMap(\.listName)
      let meant = Spelling.nearest(to: name, among: lists)
      report(
        Diagnostic(
          .unknownBundleMember, "unknown member \"\(name)\"" + (meant.map { "; did you mean \"\($0)\"?" } ?? ""),
          at: place))
      return
    }
    let meant = Spelling.nearest(to: kind.name, among: RecordKind.known.map(\.name))
    report(
      Diagnostic(
        .unknownKind,
        "the kind '\(kind.name)' is copied unchanged" + (meant.map { "; did you mean '\($0)'?" } ?? ""), at: place))
  }

  private func record(_ span: RecordSpan, _ kind: RecordKind) -> String { "\(kind.name) at line \(span.line)" }

  /// Returns the line and column of a byte in the batch's source inside `span`.
  private func place(_ offset: Int, _ span: RecordSpan, _ batch: RecordBatch) -> Place {
    let text = batch.source.bytes.span.extracting(span.start..<span.start + span.length)
    let position = TextPosition(offset: offset - span.start, in: text)
    return Place(
      file: name, line: span.line + position.line - 1,
      column: position.line == 1 ? span.column + position.column - 1 : position.column)
  }

  private func reject(_ node: JSONNode, _ span: RecordSpan, _ kind: RecordKind, _ batch: RecordBatch) {
    let errors = canonicalizer.issues.filter { $0.code.severity == .error }
    var reasons = zip(errors, places(of: errors, span, batch)).map { issue, place in
      RejectReason(code: issue.code.id, message: issue.message, place: place.description)
    }
    if let twice = node.duplicateName, reasons.isEmpty {
      let place = place(Int(twice.token.start), span, batch)
      let message = "the member \(String(decoding: twice.raw, as: UTF8.self)) occurs twice in one object"
      report(Diagnostic(.duplicateMember, message, at: place, record: record(span, kind)))
      reasons.append(
        RejectReason(code: DiagnosticCode.duplicateMember.id, message: message, place: place.description))
    }
    if reasons.isEmpty {
      let place = place(span.start, span, batch)
      let message = "'kind' is missing, and the record's kind cannot be inferred"
      report(Diagnostic(.requiredMember, message, at: place))
      reasons.append(
        RejectReason(code: DiagnosticCode.requiredMember.id, message: message, place: place.description))
    }
    append(span, kind, reasons, batch)
  }

  private func rejectLarge(_ node: JSONNode, _ span: RecordSpan, _ kind: RecordKind, _ batch: RecordBatch) {
    let place = place(span.start, span, batch)
    let message = RecordLimits.problem(node)
    report(Diagnostic(.recordTooLarge, message, at: place))
    let code = DiagnosticCode.recordTooLarge.id
    append(span, kind, [RejectReason(code: code, message: message, place: place.description)], batch)
  }

  private func rejectText(_ span: RecordSpan, _ error: JSONError, _ batch: RecordBatch) {
    let place = place(error.offset, span, batch)
    let fix = error.advice(
      in: batch.source.bytes.span, span.start..<span.start + span.length,
      from: TextPosition(line: span.line, column: span.column), isLine: isLines)
    report(Diagnostic(.notJSON, error.message, at: place, fix: fix))
    append(
      span, span.listed ?? .item,
      [RejectReason(code: DiagnosticCode.notJSON.id, message: error.message, place: place.description)], batch)
  }

  private func append(
    _ span: RecordSpan, _ kind: RecordKind, _ reasons: [RejectReason], _ batch: RecordBatch
  ) {
    var rejected = RejectedRecord(
      kind: kind, bytes: batch.source.copy(span.start..<span.start + span.length),
      place: Place(file: name, line: span.line, column: span.column).description, reasons: reasons,
      position: TextPosition(line: span.line, column: span.column), file: file)
    rejected.isSelected = isSelected
    batch.rejected.append(rejected)
  }
}
