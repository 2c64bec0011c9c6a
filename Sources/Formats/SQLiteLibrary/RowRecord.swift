import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteIO

/// The layouts of the tables from which items are read.
struct ItemLayouts: Sendable {
  let metadata: ColumnLayout?
  let checklists: ColumnLayout?
  let guides: ColumnLayout?

  /// - Parameter distance: the number of metadata rows from one mark to the next; nil if no marks are needed.
  init(schema: LibrarySchema, connection: SQLiteConnection, markEvery distance: Int?) throws(SQLiteError) {
    metadata = try ColumnLayout(
      TableMaps.content, schema: schema, connection: connection, markEvery: distance)
    checklists = try ColumnLayout(TableMaps.checklists, schema: schema, connection: connection)
    guides = try ColumnLayout(TableMaps.practiceGuides, schema: schema, connection: connection)
  }

  /// Whether every table can be read without lookups, so that each page is read only once.
  var areInOrder: Bool { [metadata, checklists, guides].allSatisfy { $0?.isInOrder ?? true } }
}

/// Joins metadata and bodies by walking three tables in parallel, in the order of their ids.
final class ItemJoin {
  /// The rows with one id. At least one of the three is not nil.
  struct Row {
    let metadata: RowCursor?
    let checklist: RowCursor?
    let guide: RowCursor?
  }

  private var metadata: RowCursor?
  private var checklists: RowCursor?
  private var guides: RowCursor?
  /// Whether the last call returned a metadata row; if so, its cursor advances at the next call.
  private var gaveMetadata = false
  private var gaveChecklist = false
  private var gaveGuide = false

  init(_ layouts: ItemLayouts, connection: SQLiteConnection, range: IDRange = .all) throws(SQLiteError) {
    func open(_ layout: ColumnLayout?) throws(SQLiteError) -> RowCursor? {
      guard let layout else { return nil }
      return try RowCursor(layout, connection: connection, range: range)
    }
    metadata = try open(layouts.metadata)
    checklists = try open(layouts.checklists)
    guides = try open(layouts.guides)
    try begin()
  }

  /// Restarts the join with another range of ids.
  func restart(_ range: IDRange) throws(SQLiteError) {
    metadata = try metadata?.restarted(range)
    checklists = try checklists?.restarted(range)
    guides = try guides?.restarted(range)
    try begin()
  }

  private func begin() throws(SQLiteError) {
    gaveMetadata = false
    gaveChecklist = false
    gaveGuide = false
    try metadata?.advance()
    try checklists?.advance()
    try guides?.advance()
  }

  /// Returns the rows with the next id; nil at the end.
  func next() throws(SQLiteError) -> Row? {
    if gaveMetadata { try metadata?.advance() }
    if gaveChecklist { try checklists?.advance() }
    if gaveGuide { try guides?.advance() }
    // Most ids have metadata and a checklist, so these two rows are compared first. The guide is compared with the
    // lower id.
    let order = Self.order(metadata, checklists)
    let guideOrder = Self.order(order <= 0 ? metadata : checklists, guides)
    gaveMetadata = order <= 0 && guideOrder <= 0 && metadata?.isOnRow ?? false
    gaveChecklist = order >= 0 && guideOrder <= 0 && checklists?.isOnRow ?? false
    gaveGuide = guideOrder >= 0 && guides?.isOnRow ?? false
    guard gaveMetadata || gaveChecklist || gaveGuide else { return nil }
    return Row(
      metadata: gaveMetadata ? metadata : nil, checklist: gaveChecklist ? checklists : nil,
      guide: gaveGuide ? guides : nil)
  }

  /// Compares the ids of two rows and returns the sign of the comparison. A cursor without a row sorts last.
  @inline(__always)
  private static func order(_ left: RowCursor?, _ right: RowCursor?) -> Int {
    guard let left, left.isOnRow else { return right?.isOnRow ?? false ? 1 : 0 }
    guard let right, right.isOnRow else { return -1 }
    return compare(left, right)
  }

  /// Compares ids as SQLite's BINARY collation does.
  private static func compare(_ left: RowCursor, _ right: RowCursor) -> Int {
    let leftBlob = left.statement.storage(at: left.idPosition) == .blob
    let rightBlob = right.statement.storage(at: right.idPosition) == .blob
    if leftBlob != rightBlob { return leftBlob ? 1 : -1 }
    let first = left.id
    let second = right.id
    if let left = first.baseAddress, let right = second.baseAddress {
      let order = memcmp(left, right, min(first.count, second.count))
      if order != 0 { return Int(order) }
    }
    return first.count - second.count
  }
}

/// Builds an item from its metadata and its body, or from one of them if the other is missing.
enum ItemRecord {
  /// Writes an item's canonical line.
  /// - Returns: whether the item has extras.
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
        out.append(metadata.encoded[index].key.span)
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
        out.append(body.encoded[index].key.span)
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
    ClosedListCheck.check(index, of: row, encoder: encoder)
  }

  /// Determines the item's actual type and its body row.
  private static func decide(_ row: ItemJoin.Row, encoder: inout RowEncoder) -> (ContentType, RowCursor?) {
    guard let metadata = row.metadata else {
      let body = row.checklist ?? row.guide
      if let body {
        encoder.report(
          .bodyWithoutMetadata, "the \(name(of: body)) has no row in 'library_content'", body, nil)
      }
      if row.checklist != nil, let guide = row.guide {
        encoder.report(.twoBodies, "this id has a checklist and a guide", guide, nil)
      }
      return (row.checklist != nil ? .checklist : .practiceGuide, body)
    }
    let position = metadata.encoded[1].position
    let word = position >= 0 ? metadata.statement.text(at: position) ?? "" : "checklist"
    let declared = ContentType(rawValue: word)
    if declared == nil || declared == .flashcardDeck {
      encoder.report(
        .unknownValue, "'type' is \"\(word)\"; the app treats it as checklist", metadata, "type")
      if declared == nil { encoder.storeRaw("type", text: word) }
    }
    let own = declared == .practiceGuide ? row.guide : row.checklist
    let other = declared == .practiceGuide ? row.checklist : row.guide
    if let own, declared != .flashcardDeck || other == nil {
      if let other {
        encoder.report(.twoBodies, "this id has a \(name(of: own)) and a \(name(of: other))", other, nil)
      }
      return (declared == .practiceGuide ? .practiceGuide : .checklist, own)
    }
    if let body = own ?? other {
      if declared != nil {
        encoder.report(
          .bodyOfOtherType, "the metadata gives the type as \(word), but the body is a \(name(of: body))", metadata,
          "type")
        encoder.storeRaw("type", text: word)
      }
      return (body.map.table == "checklists" ? .checklist : .practiceGuide, body)
    }
    encoder.report(
      .metadataWithoutBody, "the item has no row in '\(declared == .practiceGuide ? "practice_guides" : "checklists")'",
      metadata, nil)
    return (declared ?? .checklist, nil)
  }

  private static func name(of body: RowCursor) -> String {
    body.map.table == "checklists" ? "checklist" : "guide"
  }

  /// Writes the envelope of a body without metadata, from the body's own values and from defaults.
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
        // A problem with the value is reported once, when the body itself is written.
        write(index, of: body, ids: ids, encoder: &silent, into: &out)
      } else {
        out.append(utf8: column.absent)
      }
    }
  }

  /// Writes the record's extras, if any, and closes the record.
  private static func writeRest(
    _ row: ItemJoin.Row, _ body: RowCursor?, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) -> Bool {
    if let metadata = row.metadata { encoder.collectUnknownColumns(metadata) }
    if let body { encoder.collectUnknownColumns(body) }
    var other: [UInt8]?
    if let checklist = row.checklist, checklist !== body { other = stored(checklist) }
    if let guide = row.guide, guide !== body { other = stored(guide) }
    let end = out.count
    encoder.extras.write(into: &out, other: other)
    let hasExtras = out.count > end
    out.append(UInt8(ascii: "}"))
    return hasExtras
  }

  /// Returns a row as stored, for a body that has no member of its own in the record.
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

/// Builds a record from one row: a charter, an execution or an operation.
enum RowRecord {
  /// Writes a charter's canonical line.
  static func writeCharter(
    _ row: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    let id = ids.normalize(row, encoder: &encoder, label: RecordKind.charter.name)
    write(row, .charter, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes an execution's canonical line, and reports references to missing records.
  static func writeExecution(
    _ rows: ExecutionRows, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) {
    writeExecution(rows.cursor, checklistID: rows.checklistID, ids: ids, encoder: &encoder, into: &out) {
      rows.report($0)
    }
  }

  /// Writes an execution's canonical line.
  /// - Parameter report: called to report the row's references, after the encoder has begun the record.
  static func writeExecution(
    _ row: RowCursor, checklistID: String, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer,
    report: (borrowing RowEncoder) -> Void = { _ in }
  ) {
    let id = ids.normalize(row, encoder: &encoder, label: "execution")
    encoder.innerScope = ids.reference(checklistID, to: .items)
    report(encoder)
    write(row, .execution, id: "\"\(id)\"", ids: ids, encoder: &encoder, into: &out)
  }

  /// Writes an operation's canonical line, and reports the reasons why the operation cannot be sent.
  static func writeOperation(
    _ row: RowCursor, ids: IDNormalizer, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) throws(SQLiteError) {
    let id = row.positions[0] >= 0 ? row.statement.integer(at: row.positions[0]) : 0
    encoder.begin(id: String(id), label: "operation")
    write(row, .syncOperation, id: String(id), ids: ids, encoder: &encoder, into: &out)
    try OperationCheck.check(row, ids: ids, encoder: encoder)
  }

  /// Writes a record that consists of one row.
  /// - Parameter id: the id, without quotes. It must not need JSON escapes; a UUID does not.
  private static func write(
    _ row: RowCursor, _ kind: RecordKind, id: String, ids: IDNormalizer, encoder: inout RowEncoder,
    into out: inout ByteBuffer
  ) {
    out.append(utf8: "{\"kind\":\"\(kind.name)\",\"id\":\(id)")
    for index in 1..<row.encoded.count {
      out.append(row.encoded[index].key.span)
      if ids.writeReference(index, of: row, encoder: &encoder, into: &out) { continue }
      encoder.write(index, of: row, into: &out)
      ClosedListCheck.check(index, of: row, encoder: encoder)
    }
    encoder.collectUnknownColumns(row)
    encoder.extras.write(into: &out)
    out.append(UInt8(ascii: "}"))
  }
}

/// The execution rows, each checked against its checklist and its charter.
final class ExecutionRows {
  /// The steps of a row's checklist.
  private enum Steps {
    case noChecklist
    /// The steps are unknown, because the content is too large to be parsed.
    case unknown
    /// The ids of the checklist's steps, in upper case.
    case known(Set<String>)
  }

  let cursor: RowCursor
  private let checklist: SQLiteStatement?
  private let charter: SQLiteStatement?
  private var knownChecklist = ""
  private var steps = Steps.unknown
  private var isFirst = true
  private var charterIsThere = true

  init?(schema: LibrarySchema, connection: SQLiteConnection) throws(SQLiteError) {
    guard let cursor = try RowCursor(TableMaps.executions, schema: schema, connection: connection) else {
      return nil
    }
    self.cursor = cursor
    checklist =
      schema.tables["checklists"]?.contains("content") ?? false
      ? try connection.prepare("SELECT content FROM checklists WHERE id = ?") : nil
    charter = schema.tables["charters"] != nil ? try connection.prepare("SELECT 1 FROM charters WHERE id = ?") : nil
  }

  /// Moves to the next row and looks up its references.
  func next() throws(SQLiteError) -> Bool {
    guard try cursor.advance() else { return false }
    let id = checklistID
    if isFirst || !id.utf8.elementsEqual(knownChecklist.utf8) {
      isFirst = false
      knownChecklist = id
      steps = try steps(of: id)
    }
    if let charter {
      charter.bind(text("charterID"), at: 1)
      charterIsThere = try charter.step()
      charter.reset()
    }
    return true
  }

  /// The checklist's id as stored.
  var checklistID: String { text("checklistID") }

  private func text(_ column: String) -> String {
    guard let index = cursor.map.columns.firstIndex(where: { $0.column == column }), cursor.positions[index] >= 0
    else { return "" }
    let position = cursor.positions[index]
    // Reading a blob as text converts it, and then the blob would no longer be reported.
    if cursor.statement.storage(at: position) == .blob {
      return String(decoding: cursor.statement.blob(at: position), as: UTF8.self)
    }
    return cursor.statement.text(at: position) ?? ""
  }

  /// The ids of the current checklist's steps, in upper case; nil if the steps are unknown.
  var stepIDs: Set<String>? {
    guard case .known(let ids) = steps else { return nil }
    return ids
  }

  private func steps(of id: String) throws(SQLiteError) -> Steps {
    guard let checklist else { return .noChecklist }
    defer { checklist.reset() }
    checklist.bind(id, at: 1)
    guard try checklist.step() else { return .noChecklist }
    var ids = Set<String>()
    let text = checklist.bytes(at: 0)
    // Damaged content is recovered when its own item is read; ticks are checked against the recovered content.
    let content =
      (try? JSONDocument(parsing: text.span)) ?? RecoveredText(text.span, .sections)?.document
    guard let content else { return .known(ids) }
    guard RecordLimits.fits(content) else { return .unknown }
    for section in (content.root["sections"] ?? content.root).elements {
      for item in section["items"]?.elements ?? [] {
        if let id = item["id"]?.string { ids.insert(id.uppercased()) }
      }
    }
    return .known(ids)
  }

  /// Reports references to missing records, and ticks that the app does not show or read.
  func report(_ encoder: borrowing RowEncoder) {
    if !charterIsThere {
      encoder.report(
        .executionWithoutCharter, "the charter \(Diagnostic.beginning(of: text("charterID"))) does not exist", cursor,
        "charterID")
    }
    if case .noChecklist = steps {
      return encoder.report(
        .executionWithoutChecklist, "the checklist \(Diagnostic.beginning(of: checklistID)) does not exist", cursor,
        "checklistID")
    }
    guard let states = try? JSONDocument(parsing: text("itemStates")), RecordLimits.fits(states) else { return }
    let stepIDs = stepIDs
    var lost = 0
    var loose = 0
    for (key, state) in states.root.members {
      let pointer = JSONPointer([.member(key)])
      if let stepIDs, !stepIDs.contains(key.uppercased()) {
        report(.itemStateWithoutItem, "the step \(key) is not in the checklist", at: pointer, &lost, encoder)
      }
      guard let at = state["checkedAt"], !at.isNull else { continue }
      let isStrict = at.string.map { $0.utf8.count == 20 && Timestamp.parse($0) != nil && $0.hasSuffix("Z") } ?? false
      if !isStrict {
        report(
          .itemStateDateNotStrict, "'checkedAt' is \(at.text)", at: pointer.appending(.member("checkedAt")), &loose,
          encoder)
      }
    }
  }

  /// Reports a finding about a tick, unless the record already has thousands of such findings.
  private func report(
    _ code: DiagnosticCode, _ message: String, at pointer: JSONPointer, _ count: inout Int,
    _ encoder: borrowing RowEncoder
  ) {
    count += 1
    guard count <= RecordLimits.findings else { return }
    encoder.report(
      code, message + (count == RecordLimits.findings ? RecordLimits.notListed : ""), cursor, "itemStates",
      pointer: pointer.description)
  }
}

/// Reports values that are not in the app's closed lists. The values are kept unchanged.
private enum ClosedListCheck {
  static func check(_ index: Int, of row: RowCursor, encoder: borrowing RowEncoder) {
    let column = row.encoded[index]
    guard let choices = column.choices, column.position >= 0, row.statement.storage(at: column.position) == .text
    else { return }
    let bytes = row.statement.bytes(at: column.position)
    for choice in choices where choice.span.equals(bytes.span) { return }
    report(index, of: row, bytes.span, encoder)
  }

  private static func report(
    _ index: Int, of row: RowCursor, _ bytes: Span<UInt8>, _ encoder: borrowing RowEncoder
  ) {
    guard case .choice(_, let fallback) = row.map.columns[index].kind else { return }
    let column = row.map.columns[index].column
    encoder.report(
      .unknownValue,
      "'\(column)' is \"\(String(decoding: bytes.extracting(first: 60)))\"; the app treats it as \(fallback)", row,
      column)
  }
}
