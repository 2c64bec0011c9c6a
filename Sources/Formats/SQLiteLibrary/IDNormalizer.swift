import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Converts every id and every reference to the form that the app can look up.
///
/// A lower-case UUID is converted to upper case. Any other id becomes a UUID that is derived from its bytes. Equal ids
/// always give equal UUIDs, so references still match. If the library also has a row under the upper-case id, the row
/// with the lower-case id gets a derived UUID, so that the two records stay separate.
final class IDNormalizer {
  /// The kinds of rows that share one set of ids.
  enum Space { case charters, items, executions }

  private let connection: SQLiteConnection
  private let schema: LibrarySchema
  /// The reference columns and the kind of row that each refers to, by table.
  private static let references: [String: [String: Space]] = [
    "charters": ["checkInChecklistID": .items],
    "library_content": ["creatorID": .charters, "forkedFromID": .items, "originalAuthorUserId": .charters],
    "checklists": ["creatorID": .charters], "practice_guides": ["creatorID": .charters],
    "checklistExecutionStates": ["checklistID": .items, "charterID": .charters],
    "sync_queue": ["contentID": .items],
  ]

  init(connection: SQLiteConnection, schema: LibrarySchema) {
    self.connection = connection
    self.schema = schema
  }

  private static func space(_ table: String) -> Space {
    switch table {
    case "charters": .charters
    case "checklistExecutionStates": .executions
    default: .items
    }
  }

  /// Returns the normalized id of a row. Begins the record in the encoder, and reports the id if the app cannot look it
  /// up.
  func normalize(_ row: RowCursor, encoder: inout RowEncoder, label: String) -> String {
    let raw = String(decoding: row.id, as: UTF8.self)
    let form = CanonicalUUID.form(of: row.id.span)
    if form == .canonical {
      encoder.begin(id: raw, label: label)
      return raw
    }
    let id = reference(raw, to: Self.space(row.map.table))
    encoder.begin(id: id, label: label)
    reportID(of: row, as: id, encoder)
    if !raw.isEmpty { encoder.storeRaw("id", text: raw) }
    return id
  }

  /// Reports a row's id that is not in the app's form.
  func reportID(of row: RowCursor, as id: String, _ encoder: borrowing RowEncoder) {
    let form = CanonicalUUID.form(of: row.id.span)
    if form == .canonical { return }
    let raw = String(decoding: row.id, as: UTF8.self)
    let isTwin = form == .otherCase && id != raw.uppercased()
    let shown = Diagnostic.beginning(of: raw)
    let becomes = "it becomes \(id)" + (isTwin ? ", because \(raw.uppercased()) also exists" : "")
    let what = form == .otherCase ? "the id \(raw) is in lower case" : "the id \"\(shown)\" is not a UUID"
    encoder.report(form == .otherCase ? .idCase : .idNotUUID, "\(what); \(becomes)", row, "id")
  }

  /// Returns the normalized id for a reference to `raw`.
  func reference(_ raw: String, to space: Space) -> String {
    switch CanonicalUUID.form(of: raw) {
    case .canonical: raw
    case .otherCase:
      // Two rows whose ids differ only in case are two records. A reference points to the row whose id is spelled like
      // the reference, if that row exists.
      exists(raw.uppercased(), in: space) && exists(raw, in: space)
        ? CanonicalUUID.derived(["other case", raw]) : raw.uppercased()
    case .none: raw.isEmpty ? raw : CanonicalUUID.canonical(raw)
    }
  }

  /// Writes a reference column that needs a lookup; returns false if the column can be written unchanged.
  func writeReference(
    _ index: Int, of row: RowCursor, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) -> Bool {
    let encoded = row.encoded[index]
    guard encoded.isReference, encoded.position >= 0, row.statement.storage(at: encoded.position) == .text else {
      return false
    }
    let bytes = row.statement.bytes(at: encoded.position)
    if CanonicalUUID.form(of: bytes.span) == .canonical, bytes[0] != UInt8(ascii: "0") { return false }
    let column = row.map.columns[index].column
    let raw = String(decoding: bytes, as: UTF8.self)
    if column == "creatorID", raw == CanonicalUUID.zero {
      if schema.migrations.contains("v1.9.0_makeCreatorIDNullable") {
        encoder.report(.zeroCreator, "creatorID is all zeros", row, column)
      }
      out.append("null")
      return true
    }
    if CanonicalUUID.form(of: bytes.span) == .canonical { return false }
    if raw.isEmpty, row.map.columns[index].nullable {
      encoder.storeRaw(row, index)
      out.append("null")
      return true
    }
    let space = Self.references[row.map.table]?[column] ?? .items
    let id = reference(raw, to: space)
    // Every other non-empty value became a different id. The two strings are not compared, because comparing long
    // strings would sort their combining marks.
    if !raw.isEmpty {
      if CanonicalUUID.form(of: raw) == .none { encoder.storeRaw(row, index) }
      encoder.report(
        CanonicalUUID.form(of: raw) == .none ? .idNotUUID : .idCase,
        "'\(column)' is \"\(Diagnostic.beginning(of: raw))\"; it becomes \(id)", row, column, severity: .note)
    }
    out.appendJSONString(id)
    return true
  }

  /// Whether the library has an item with exactly this id.
  func hasItem(_ id: String) -> Bool {
    guard schema.tables["library_content"] != nil else { return false }
    return ((try? connection.number("SELECT count(*) FROM library_content WHERE id = ?", [id])) ?? 0) > 0
  }

  private func exists(_ id: String, in space: Space) -> Bool {
    let tables =
      switch space {
      case .charters: ["charters"]
      case .executions: ["checklistExecutionStates"]
      case .items: ["library_content", "checklists", "practice_guides"]
      }
    return tables.contains { table in
      guard schema.tables[table]?.contains("id") ?? false else { return false }
      return ((try? connection.number("SELECT count(*) FROM \"\(table)\" WHERE id = ?", [id])) ?? 0) > 0
    }
  }
}
