import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO

/// The outcome of writing a record as a row.
package enum RowOutcome {
  case created
  case updated
  case skipped(SkipReason)
  case rejected(DiagnosticCode, String)
  /// The record refers to a record that does not exist yet.
  case waiting
}

/// Writes canonical records into the app's tables.
///
/// Values are bound directly from the record's memory. Only values that the app encodes differently (dates, JSON
/// columns, escaped text) are converted.
package final class LibraryRows {
  private let context: RunContext
  private let version: String
  private let charters: RowWriter?
  private let items: ItemTables
  private let executions: RowWriter?
  private let queue: RowWriter?
  private let findCharter: SQLiteStatement?
  private let findContent: SQLiteStatement?

  /// The three tables that hold items, and the statements that remove their rows.
  private struct ItemTables {
    let content: RowWriter?
    let checklists: RowWriter?
    let guides: RowWriter?
    let removeContent: SQLiteStatement?
    let removeChecklist: SQLiteStatement?
    let removeGuide: SQLiteStatement?
  }

  /// Prepares the tables of a library that is being created or changed.
  /// - Parameters:
  ///   - tables: the columns of each table in the library.
  ///   - version: the library's schema version, for messages.
  package init(
    connection: SQLiteConnection, tables: [String: [String]], version: String, context: RunContext
  ) throws(SQLiteError) {
    self.context = context
    self.version = version
    func writer(_ map: TableMap, _ shape: Shape) throws(SQLiteError) -> RowWriter? {
      try RowWriter(map, shape, tables: tables, connection)
    }
    charters = try writer(TableMaps.charters, Shapes.charter)
    let content = try writer(TableMaps.content, Shapes.item)
    let checklists = try writer(TableMaps.checklists, Shapes.checklist)
    let guides = try writer(TableMaps.practiceGuides, Shapes.practiceGuide)
    executions = try writer(TableMaps.executions, Shapes.execution)
    queue = try writer(TableMaps.queue, Shapes.syncOperation)
    findCharter = charters == nil ? nil : try connection.prepare("SELECT 1 FROM charters WHERE id = ?")
    findContent = content == nil ? nil : try connection.prepare("SELECT 1 FROM library_content WHERE id = ?")
    func removal(from table: RowWriter?, _ sql: String) throws(SQLiteError) -> SQLiteStatement? {
      table == nil ? nil : try connection.prepare(sql)
    }
    items = ItemTables(
      content: content, checklists: checklists, guides: guides,
      removeContent: try removal(from: content, "DELETE FROM library_content WHERE rowid = last_insert_rowid()"),
      removeChecklist: try removal(from: checklists, "DELETE FROM checklists WHERE id = ?"),
      removeGuide: try removal(from: guides, "DELETE FROM practice_guides WHERE id = ?"))
  }

  // MARK: Records

  package func insertItem(_ node: JSONNode, place: () -> Place) throws(SQLiteError) -> RowOutcome {
    let item: LoadedItem
    switch load(item: node) {
    case .failure(let refusal): return refusal.outcome
    case .success(let loaded): item = loaded
    }
    if let outcome = try item.content.insert(.item) { return outcome }
    if item.body != nil, let outcome = try item.bodyRow.insert(.item) {
      try items.removeContent?.run()
      return outcome
    }
    finish(item, node, place)
    return .created
  }

  /// Replaces the item with the same id. A body of the other type is removed. If the new item has no body, the old body
  /// is kept.
  package func updateItem(_ node: JSONNode, place: () -> Place) throws(SQLiteError) -> RowOutcome {
    let item: LoadedItem
    switch load(item: node) {
    case .failure(let refusal): return refusal.outcome
    case .success(let loaded): item = loaded
    }
    if try !item.content.update(row: item.id), let outcome = try item.content.insert(.item) { return outcome }
    if item.body != nil {
      if let other = item.isGuide ? items.removeChecklist : items.removeGuide {
        other.bind(item.id, at: 1)
        try other.run()
      }
      if try !item.bodyRow.update(row: item.id), let outcome = try item.bodyRow.insert(.item) { return outcome }
    }
    finish(item, node, place)
    return .updated
  }

  /// An item whose members are bound to the rows that will hold them.
  private struct LoadedItem {
    let id: String
    let isGuide: Bool
    let content: RowWriter
    let bodyRow: RowWriter
    let body: JSONNode?
    let hasTime: Bool
  }

  /// The reason why an item cannot be a row.
  private struct Refusal: Error { let outcome: RowOutcome }

  private func load(item node: JSONNode) -> Result<LoadedItem, Refusal> {
    let id = node.member("id")?.string ?? ""
    let type = node.member("content_type")
    if let type, type.equals("flashcard_deck") {
      return .failure(Refusal(outcome: noPlace(.item, id, .noTableForDecks)))
    }
    let isGuide = type?.equals("practice_guide") ?? false
    guard let content = items.content, let bodyRow = isGuide ? items.guides : items.checklists else {
      let what = isGuide ? "practice guides" : "checklists"
      return .failure(Refusal(outcome: noPlace(.item, id, .notInSchema(version: version, what: what))))
    }
    content.load(node)
    let document = node.member("content_data")
    let body = document.flatMap { $0.kind == .object ? $0 : nil }
    if let body { bodyRow.load(body) }
    let created = content.date("created_at") ?? body.flatMap { _ in bodyRow.date("createdAt") }
    let updated = content.date("updated_at") ?? body.flatMap { _ in bodyRow.date("updatedAt") }
    let instead = created ?? updated ?? context.now
    for row in [content, bodyRow] {
      row.fallback = updated ?? instead
      row.createdFallback = created ?? instead
    }
    return .success(
      LoadedItem(
        id: id, isGuide: isGuide, content: content, bodyRow: bodyRow, body: body,
        hasTime: created != nil || updated != nil))
  }

  /// Reports the values of a written item that the library cannot hold.
  private func finish(_ item: LoadedItem, _ node: JSONNode, _ place: () -> Place) {
    if !item.hasTime { reportTime("the item has no time", "item " + item.id, place) }
    recordLosses(node, .item, item.id, Shapes.item, known: item.content)
    if let body = item.body {
      recordLosses(
        body, .item, item.id, item.isGuide ? Shapes.practiceGuide : Shapes.checklist, known: item.bodyRow,
        prefix: "/content_data")
    }
  }

  package func insertCharter(
    _ node: JSONNode, replacing: Bool = false, place: () -> Place
  ) throws(SQLiteError) -> RowOutcome {
    guard let charters else { return noPlace(.charter, node, .notInSchema(version: version, what: "charters")) }
    charters.load(node)
    guard let day = charters.date("start_date") ?? charters.date("end_date") else {
      return .rejected(.valueMissing, "the charter has neither start_date nor end_date")
    }
    // If a charter has no times, its first day is the best available estimate of its creation time.
    charters.fallback = day
    charters.createdFallback = charters.date("created_at") ?? charters.date("updated_at") ?? day
    if let outcome = try insertOrReplace(charters, .charter, replacing) { return outcome }
    if charters.value("created_at") == nil || charters.value("start_date") == nil || charters.value("end_date") == nil {
      reportTime("the charter lacks a time; its other times are used instead", "charter " + charters.ownID, place)
    }
    recordLosses(node, .charter, node.member("id")?.string ?? "", Shapes.charter, known: charters)
    return replacing ? .updated : .created
  }

  package func insertExecution(
    _ node: JSONNode, replacing: Bool = false, mayWait: Bool, place: () -> Place
  ) throws(SQLiteError) -> RowOutcome {
    guard let executions else { return noPlace(.execution, node, .notInSchema(version: version, what: "executions")) }
    executions.load(node)
    guard try exists(executions.value("charter_id"), findCharter) else {
      if mayWait { return .waiting }
      let charter = executions.value("charter_id")?.string ?? ""
      return .rejected(.missingReference, "the charter \(charter) does not exist")
    }
    let time = executions.date("created_at") ?? executions.date("last_updated") ?? context.now
    executions.createdFallback = time
    executions.fallback = executions.date("last_updated") ?? time
    if let outcome = try insertOrReplace(executions, .execution, replacing) { return outcome }
    if executions.value("created_at") == nil {
      reportTime("the execution has no creation time", "execution " + executions.ownID, place)
    }
    recordLosses(node, .execution, node.member("id")?.string ?? "", Shapes.execution, known: executions)
    return replacing ? .updated : .created
  }

  /// Inserts the loaded object as a new row, or replaces the row with its id.
  private func insertOrReplace(
    _ row: RowWriter, _ kind: RecordKind, _ replacing: Bool
  ) throws(SQLiteError) -> RowOutcome? {
    do throws(SQLiteError) {
      if replacing, try row.update(row: row.ownID) { return nil }
    } catch {
      guard error.isConstraint else { throw error }
      return .rejected(.duplicateRecord, RowWriter.conflict(error, kind))
    }
    return try row.insert(kind)
  }

  package func insertOperation(
    _ node: JSONNode, mayWait: Bool, place: () -> Place
  ) throws(SQLiteError) -> RowOutcome {
    guard let queue else {
      return noPlace(.syncOperation, node, .notInSchema(version: version, what: "sync operations"))
    }
    queue.load(node)
    guard try exists(queue.value("content_id"), findContent) else {
      if mayWait { return .waiting }
      return .rejected(.missingReference, "the item \(queue.value("content_id")?.string ?? "") does not exist")
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

  private func noPlace(_ kind: RecordKind, _ node: JSONNode, _ reason: SkipReason) -> RowOutcome {
    noPlace(kind, node.member("id").flatMap { $0.string ?? $0.numberText } ?? "", reason)
  }

  private func noPlace(_ kind: RecordKind, _ id: String, _ reason: SkipReason) -> RowOutcome {
    context.losses.record(kind, id: id, field: "", reason: .skipped(reason))
    return .skipped(reason)
  }

  private func exists(_ id: JSONNode?, _ statement: SQLiteStatement?) throws(SQLiteError) -> Bool {
    guard let id, id.kind == .string, let statement else { return false }
    statement.bindInPlace(id.inner.span, at: 1)
    let found = try statement.step()
    statement.reset()
    return found
  }

  // MARK: Losses

  /// Logs the values of a record that the tables cannot hold.
  private func recordLosses(
    _ node: JSONNode, _ kind: RecordKind, _ id: String, _ shape: Shape, known: RowWriter, prefix: String = ""
  ) {
    for member in known.dropped {
      context.losses.record(
        kind, id: id, field: "\(prefix)/\(member)", reason: .notInSchema(version: version))
    }
    for member in known.rounded {
      context.losses.record(
        kind, id: id, field: "\(prefix)/\(member)", reason: .rounded)
    }
    guard known.hasMore else { return }
    node.forEachMember { name, value in
      let text = name.string ?? ""
      if text == "extras" { return recordExtras(value, of: node, kind, id) }
      if shape.index(of: text.utf8.span, from: 0) >= 0 { return }
      context.losses.record(
        kind, id: id, field: "\(prefix)/\(text)", reason: .noColumn)
    }
  }

  private func recordExtras(_ extras: JSONNode, of record: JSONNode, _ kind: RecordKind, _ id: String) {
    extras.forEachMember { name, value in
      let text = name.string ?? ""
      if text == "other_body" {
        context.losses.record(
          kind, id: id, field: "/extras/other_body", reason: .secondBody)
        return
      }
      value.forEachMember { inner, original in
        let column = inner.string ?? ""
        if text == "raw", RowWriter.restoresRaw(column, of: record), original.kind == .string { return }
        let reason: LossReason =
          switch text {
          case "raw": .recovered
          case "columns": .columnIsGone
          default: .noColumn
          }
        context.losses.record(kind, id: id, field: "/extras/\(text)/\(column)", reason: reason)
      }
      if value.kind != .object {
        context.losses.record(
          kind, id: id, field: "/extras/\(text)", reason: .noColumn)
      }
    }
  }
}
