import Content
import Diagnostics
import JSONText
import SQLiteIO

/// The rows of ticks, each held against the checklist and the charter that it belongs to.
final class ExecutionRows {
  let cursor: RowCursor
  private let checklist: SQLiteStatement?
  private let charter: SQLiteStatement?
  private var knownChecklist = ""
  private var knownItems: Set<String>?
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

  /// Moves to the next row and looks up what it refers to.
  func next() throws(SQLiteError) -> Bool {
    guard try cursor.advance() else { return false }
    let id = checklistID
    if isFirst || id != knownChecklist {
      isFirst = false
      knownChecklist = id
      knownItems = try items(of: id)
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
    // Asking a blob for its text turns it into text, and nobody would report it any more.
    if cursor.statement.storage(at: position) == .blob {
      return String(decoding: cursor.statement.blob(at: position), as: UTF8.self)
    }
    return cursor.statement.text(at: position) ?? ""
  }

  /// Ids of a checklist's items in upper case; nil when there is no such checklist.
  private func items(of id: String) throws(SQLiteError) -> Set<String>? {
    guard let checklist else { return nil }
    defer { checklist.reset() }
    checklist.bind(id, at: 1)
    guard try checklist.step() else { return nil }
    var ids = Set<String>()
    let text = checklist.bytes(at: 0)
    // Damaged content is recovered when its own item is read; ticks are held against what is recovered.
    let content =
      (try? JSONDocument(parsing: text)) ?? JSONRepair.repair(text).flatMap { try? JSONDocument(parsing: $0.text) }
    guard let root = content?.root else { return ids }
    for section in (root["sections"] ?? root).elements {
      for item in section["items"]?.elements ?? [] {
        if let id = item["id"]?.string { ids.insert(id.uppercased()) }
      }
    }
    return ids
  }

  /// Reports references that lead nowhere and ticks that the app does not show or read.
  func report(_ encoder: borrowing RowEncoder) {
    if !charterIsThere {
      encoder.report(
        .executionWithoutCharter, "the charter \(text("charterID")) is not there", cursor, "charterID")
    }
    guard let knownItems else {
      return encoder.report(
        .executionWithoutChecklist, "the checklist \(checklistID) is not there", cursor, "checklistID")
    }
    guard let states = try? JSONDocument(parsing: text("itemStates")) else { return }
    for (key, state) in states.root.members {
      let pointer = JSONPointer([.member(key)])
      if !knownItems.contains(key.uppercased()) {
        encoder.report(
          .itemStateWithoutItem, "the item \(key) is not in the checklist", cursor, "itemStates",
          pointer: pointer.description)
      }
      guard let at = state["checkedAt"], !at.isNull else { continue }
      let isStrict = at.string.map { $0.utf8.count == 20 && Timestamp.parse($0) != nil && $0.hasSuffix("Z") } ?? false
      if !isStrict {
        encoder.report(
          .itemStateDateNotStrict, "'checkedAt' is \(at.text)", cursor, "itemStates",
          pointer: pointer.appending(.member("checkedAt")).description)
      }
    }
  }
}
