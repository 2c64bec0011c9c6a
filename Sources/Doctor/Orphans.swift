import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Finds records with missing references: ticks of missing charters, checklists and steps, operations of missing
/// items, and items without a body. Bodies that a queued publication still contains are restored; everything else goes
/// to the quarantine.
struct Orphans {
  private let repair: LibraryRepair

  init(_ repair: LibraryRepair) { self.repair = repair }

  /// Repeats until no reference is missing, because removing a record may leave others without the record that they
  /// refer to.
  func run() throws {
    for _ in 0..<6 {
      let restored = try restoreBodies()
      if restored > 0 { try repair.repairForms() }
      if try runOnce() == 0 { break }
    }
    try removeForeignRows()
  }

  private func runOnce() throws -> Int {
    var leaving: [LibraryScan.Row] = []
    let work = try RecordWork()
    try LibraryScan(repair.connection, repair.schema, file: repair.file).run { found in
      try Interruption.check()
      if let reason = reason(found) {
        try repair.quarantine.add(found.line, because: reason)
        leaving += found.rows
      } else if found.findings.contains(where: { $0.code == .itemStateWithoutItem }) {
        try partTicks(found, work)
      }
    }
    let editor = try RowEditor(repair.connection, repair.schema, now: repair.now)
    try work.forEach { line, kind, rows, _ in try editor.write(line, kind, over: rows) }
    try editor.remove(leaving)
    return leaving.count + work.count
  }

  /// Returns the reason why a record cannot be kept; nil if it can be kept.
  private func reason(_ found: LibraryScan.Found) -> String? {
    let codes: Set<DiagnosticCode> = [
      .executionWithoutCharter, .executionWithoutChecklist, .metadataWithoutBody, .operationWithoutContent,
    ]
    guard let finding = found.findings.first(where: { codes.contains($0.code) }) else { return nil }
    return finding.code == .metadataWithoutBody ? "it is listed, but its body is missing" : finding.message
  }

  /// Separates an execution's ticks on missing steps from the others.
  private func partTicks(_ found: LibraryScan.Found, _ work: RecordWork) throws {
    guard let known = found.stepIDs, !LibraryRepair.isUnread(found),
      case .execution(var staying) = try TypedRecord(json: JSONDocument(parsing: found.line.span).root)
    else { return }
    var leaving = staying
    leaving.itemStates = staying.itemStates.filter { !known.contains($0.key) }
    staying.itemStates = staying.itemStates.filter { known.contains($0.key) }
    let count = leaving.itemStates.count
    guard count > 0 else { return }
    var line = try TypedRecord.execution(leaving).canonicalLine()
    let steps = count == 1 ? "the step of this tick is" : "the steps of these \(count) ticks are"
    try line.withUTF8 { try repair.quarantine.add($0, because: "\(steps) not in the checklist") }
    staying.extras = []
    try work.add(try TypedRecord.execution(staying).canonicalLine(), found)
  }

  // MARK: Bodies that are only in the queue

  private func restoreBodies() throws -> Int {
    guard repair.schema.tables["sync_queue"] != nil else { return 0 }
    let work = try RecordWork()
    try LibraryScan(repair.connection, repair.schema, file: repair.file).run { found in
      guard found.findings.contains(where: { $0.code == .metadataWithoutBody }), let row = found.rows.first,
        let line = try body(row.id, found)
      else { return }
      try work.add(line, found)
    }
    guard work.count > 0 else { return 0 }
    let editor = try RowEditor(repair.connection, repair.schema, now: repair.now)
    try work.forEach { line, _, rows, _ in
      guard let row = rows.first else { return }
      try editor.addBody(line, id: row.id)
    }
    return work.count
  }

  /// Returns the item with the document of its newest publication; nil if no publication has a document.
  private func body(_ id: String, _ found: LibraryScan.Found) throws -> String? {
    let payloads = try repair.connection.rows(
      "SELECT payload FROM sync_queue WHERE contentID = ? AND payload IS NOT NULL ORDER BY id DESC", [id])
    guard case .item(let item) = try TypedRecord(json: JSONDocument(parsing: found.line.span).root) else { return nil }
    for row in payloads {
      let payload = PayloadRepair(row[0], nil)
      let type = payload.type == item.contentType.rawValue ? payload.type : nil
      guard let type, let document = payload.document else { continue }
      var text = ByteBuffer(capacity: 4096)
      text.append("{\"kind\":\"item\",\"id\":")
      text.appendJSONString(item.id)
      text.append(",\"content_type\":")
      text.appendJSONString(type)
      text.append(",\"title\":")
      text.appendJSONString(item.title)
      text.append(",\"content_data\":")
      text.append(utf8: document)
      text.append("}")
      let json = String(decoding: text.bytes, as: UTF8.self)
      guard case .item(let whole)? = try? TypedRecord(json: JSONDocument(parsing: json).root) else { continue }
      var restored = item
      restored.content = whole.content
      restored.extras = []
      if let line = try? TypedRecord.item(restored).canonicalLine() { return line }
    }
    return nil
  }

  // MARK: Unknown tables

  private func removeForeignRows() throws {
    let known = Set(AppSchema.contentTables)
    let broken = try repair.connection.rows("PRAGMA foreign_key_check").filter { row in
      row[0].map { !known.contains($0) } ?? false
    }
    for row in broken {
      guard let table = row[0], let number = row[1].flatMap(Int64.init) else { continue }
      guard let line = try RowEditor.foreignLine(table, row: number, repair.connection) else { continue }
      try line.withUnsafeBufferPointer {
        try repair.quarantine.add($0, because: "it refers to a row of '\(row[2] ?? "")' that does not exist")
      }
      try repair.connection.execute("DELETE FROM \(RowCursor.quoted(table)) WHERE rowid = \(number)")
    }
  }
}
