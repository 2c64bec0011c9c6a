import Content
import Diagnostics
import JSONText
import SQLiteIO

/// The rows of ticks, each held against the checklist and the charter that it belongs to.
final class ExecutionRows {
  /// What the checklist of a row has.
  private enum Steps {
    case noChecklist
    /// The content is too large to be looked at.
    case unknown
    /// The ids of its steps in upper case.
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

  /// Moves to the next row and looks up what it refers to.
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
    // Asking a blob for its text turns it into text, and nobody would report it any more.
    if cursor.statement.storage(at: position) == .blob {
      return String(decoding: cursor.statement.blob(at: position), as: UTF8.self)
    }
    return cursor.statement.text(at: position) ?? ""
  }

  /// The ids of the current checklist's steps in upper case; nil where they are unknown.
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
    // Damaged content is recovered when its own item is read; ticks are held against what is recovered.
    let content =
      (try? JSONDocument(parsing: text)) ?? RecoveredText(text, .sections)?.document
    guard let content else { return .known(ids) }
    guard RecordLimits.fits(content) else { return .unknown }
    for section in (content.root["sections"] ?? content.root).elements {
      for item in section["items"]?.elements ?? [] {
        if let id = item["id"]?.string { ids.insert(id.uppercased()) }
      }
    }
    return .known(ids)
  }

  /// Reports references that lead nowhere and ticks that the app does not show or read.
  func report(_ encoder: borrowing RowEncoder) {
    if !charterIsThere {
      encoder.report(
        .executionWithoutCharter, "the charter \(Diagnostic.beginning(of: text("charterID"))) is not there", cursor,
        "charterID")
    }
    if case .noChecklist = steps {
      return encoder.report(
        .executionWithoutChecklist, "the checklist \(Diagnostic.beginning(of: checklistID)) is not there", cursor,
        "checklistID")
    }
    guard let states = try? JSONDocument(parsing: text("itemStates")), RecordLimits.fits(states) else { return }
    let stepIDs = stepIDs
    var lost = 0
    var loose = 0
    for (key, state) in states.root.members {
      let pointer = JSONPointer([.member(key)])
      if let stepIDs, !stepIDs.contains(key.uppercased()) {
        report(.itemStateWithoutItem, "the item \(key) is not in the checklist", at: pointer, &lost, encoder)
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

  /// Reports a tick, unless thousands of this record were reported before.
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
