import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO

/// What became of a record that was to be a row.
enum RowOutcome {
  case created
  case skipped(String)
  case rejected(DiagnosticCode, String)
  /// What it refers to is not there yet.
  case waiting
}

/// Puts canonical records into the app's tables.
///
/// Values are bound where they lie in the record; only what the app spells differently (dates, JSON columns,
/// escaped text) is written anew.
final class LibraryRows {
  private let context: RunContext
  private let version: String
  private let charters: RowWriter?
  private let content: RowWriter?
  private let checklists: RowWriter?
  private let guides: RowWriter?
  private let executions: RowWriter?
  private let queue: RowWriter?
  private let findCharter: SQLiteStatement?
  private let findContent: SQLiteStatement?
  private let removeContent: SQLiteStatement?

  /// Prepares the tables of a library that is being made or changed.
  /// - Parameters:
  ///   - tables: the columns that each of its tables has.
  ///   - version: its schema, for messages.
  init(
    connection: SQLiteConnection, tables: [String: [String]], version: String, context: RunContext
  ) throws(SQLiteError) {
    self.context = context
    self.version = version
    func writer(_ map: TableMap, _ shape: Shape) throws(SQLiteError) -> RowWriter? {
      try RowWriter(map, shape, tables: tables, connection)
    }
    charters = try writer(TableMaps.charters, Shapes.charter)
    content = try writer(TableMaps.content, Shapes.item)
    checklists = try writer(TableMaps.checklists, Shapes.checklist)
    guides = try writer(TableMaps.practiceGuides, Shapes.practiceGuide)
    executions = try writer(TableMaps.executions, Shapes.execution)
    queue = try writer(TableMaps.queue, Shapes.syncOperation)
    findCharter = charters == nil ? nil : try connection.prepare("SELECT 1 FROM charters WHERE id = ?")
    findContent = content == nil ? nil : try connection.prepare("SELECT 1 FROM library_content WHERE id = ?")
    removeContent =
      content == nil
      ? nil : try connection.prepare("DELETE FROM library_content WHERE rowid = last_insert_rowid()")
  }

  // MARK: Records

  func insertItem(_ node: JSONNode, place: () -> Place) throws(SQLiteError) -> RowOutcome {
    let id = node.member("id")?.string ?? ""
    let type = node.member("content_type")
    if let type, type.equals("flashcard_deck") {
      return noPlace(.item, id, "the app's library has no place for flashcard decks")
    }
    let isGuide = type?.equals("practice_guide") ?? false
    guard let content, let bodyRow = isGuide ? guides : checklists else {
      return noPlace(.item, id, "schema \(version) has no place for \(isGuide ? "practice guides" : "checklists")")
    }
    content.load(node)
    let document = node.member("content_data")
    let body = document.flatMap { $0.kind == .object ? $0 : nil }
    if let body { bodyRow.load(body) }

    let created = content.date("created_at") ?? body.flatMap { _ in bodyRow.date("createdAt") }
    let updated = content.date("updated_at") ?? body.flatMap { _ in bodyRow.date("updatedAt") }
    let instead = created ?? updated ?? context.now
    content.fallback = updated ?? instead
    content.createdFallback = created ?? instead
    if let outcome = try content.insert(.item) { return outcome }
    if body != nil {
      bodyRow.fallback = updated ?? instead
      bodyRow.createdFallback = created ?? instead
      if let outcome = try bodyRow.insert(.item) {
        try removeContent?.run()
        return outcome
      }
    }
    if created == nil, updated == nil { reportTime("the item has no time", "item " + id, place) }
    recordLosses(node, .item, id, Shapes.item, known: content)
    if let body {
      recordLosses(
        body, .item, id, bodyRow === guides ? Shapes.practiceGuide : Shapes.checklist, known: bodyRow,
        prefix: "/content_data")
    }
    return .created
  }

  func insertCharter(_ node: JSONNode, place: () -> Place) throws(SQLiteError) -> RowOutcome {
    guard let charters else { return noPlace(.charter, node, "schema \(version) has no place for charters") }
    charters.load(node)
    guard let day = charters.date("start_date") ?? charters.date("end_date") else {
      return .rejected(.valueMissing, "the charter has neither start_date nor end_date")
    }
    // A charter whose times are gone was made when it started, as far as anybody can say.
    charters.fallback = day
    charters.createdFallback = charters.date("created_at") ?? charters.date("updated_at") ?? day
    if let outcome = try charters.insert(.charter) { return outcome }
    if charters.value("created_at") == nil || charters.value("start_date") == nil || charters.value("end_date") == nil {
      reportTime("the charter lacks a time; its other times stand in", "charter " + charters.ownID, place)
    }
    recordLosses(node, .charter, node.member("id")?.string ?? "", Shapes.charter, known: charters)
    return .created
  }

  func insertExecution(
    _ node: JSONNode, mayWait: Bool, place: () -> Place
  ) throws(SQLiteError) -> RowOutcome {
    guard let executions else { return noPlace(.execution, node, "schema \(version) has no place for executions") }
    executions.load(node)
    guard try exists(executions.value("charter_id"), findCharter) else {
      if mayWait { return .waiting }
      let charter = executions.value("charter_id")?.string ?? ""
      return .rejected(.missingReference, "the charter \(charter) is not there")
    }
    let time = executions.date("created_at") ?? executions.date("last_updated") ?? context.now
    executions.createdFallback = time
    executions.fallback = executions.date("last_updated") ?? time
    if let outcome = try executions.insert(.execution) { return outcome }
    if executions.value("created_at") == nil {
      reportTime("the execution has no creation time", "execution " + executions.ownID, place)
    }
    recordLosses(node, .execution, node.member("id")?.string ?? "", Shapes.execution, known: executions)
    return .created
  }

  func insertOperation(
    _ node: JSONNode, mayWait: Bool, place: () -> Place
  ) throws(SQLiteError) -> RowOutcome {
    guard let queue else {
      return noPlace(.syncOperation, node, "schema \(version) has no place for sync operations")
    }
    queue.load(node)
    guard try exists(queue.value("content_id"), findContent) else {
      if mayWait { return .waiting }
      return .rejected(.missingReference, "the item \(queue.value("content_id")?.string ?? "") is not there")
    }
    queue.createdFallback = context.now
    queue.fallback = context.now
    if let outcome = try queue.insert(.syncOperation) { return outcome }
    if queue.value("created_at") == nil {
      reportTime("the operation has no creation time", "operation " + (node.member("id")?.numberText ?? ""), place)
    }
    recordLosses(node, .syncOperation, node.member("id")?.numberText ?? "", Shapes.syncOperation, known: queue)
    return .created
  }

  private func reportTime(_ message: String, _ record: String, _ place: () -> Place) {
    context.findings.report(Diagnostic(.timeOfRun, message, at: place(), record: record))
  }

  private func noPlace(_ kind: RecordKind, _ node: JSONNode, _ reason: String) -> RowOutcome {
    noPlace(kind, node.member("id").flatMap { $0.string ?? $0.numberText } ?? "", reason)
  }

  private func noPlace(_ kind: RecordKind, _ id: String, _ reason: String) -> RowOutcome {
    context.losses.record(kind, id: id, field: "", reason: reason)
    return .skipped(reason)
  }

  private func exists(_ id: JSONNode?, _ statement: SQLiteStatement?) throws(SQLiteError) -> Bool {
    guard let id, id.kind == .string, let statement else { return false }
    statement.bindInPlace(id.inner, at: 1)
    let found = try statement.step()
    statement.reset()
    return found
  }

  // MARK: Losses

  /// Logs what a record has and the tables do not.
  private func recordLosses(
    _ node: JSONNode, _ kind: RecordKind, _ id: String, _ shape: Shape, known: RowWriter, prefix: String = ""
  ) {
    for member in known.dropped {
      context.losses.record(
        kind, id: id, field: "\(prefix)/\(member)", reason: "schema \(version) has no column for it")
    }
    guard known.hasMore else { return }
    node.forEachMember { name, value in
      var text = name.string ?? ""
      if text == "extras" { return recordExtras(value, kind, id) }
      if text.withUTF8({ shape.index(of: $0, from: 0) }) >= 0 { return }
      context.losses.record(
        kind, id: id, field: "\(prefix)/\(text)", reason: "the app's tables have no column for it")
    }
  }

  private func recordExtras(_ extras: JSONNode, _ kind: RecordKind, _ id: String) {
    extras.forEachMember { name, value in
      let text = name.string ?? ""
      if text == "other_body" {
        context.losses.record(
          kind, id: id, field: "/extras/other_body", reason: "the app's library has room for one body of an item")
        return
      }
      value.forEachMember { inner, original in
        let column = inner.string ?? ""
        if text == "raw", RowWriter.restoresRaw(column), original.kind == .string { return }
        let reason =
          switch text {
          case "raw": "the recovered value is written, not the unreadable original"
          case "columns": "the app's newest schema does not have this column"
          default: "the app's tables have no column for it"
          }
        context.losses.record(kind, id: id, field: "/extras/\(text)/\(column)", reason: reason)
      }
      if value.kind != .object {
        context.losses.record(
          kind, id: id, field: "/extras/\(text)", reason: "the app's tables have no column for it")
      }
    }
  }
}
