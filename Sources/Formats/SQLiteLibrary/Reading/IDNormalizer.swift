import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Gives every id and every reference the form that the app can look up.
///
/// A UUID in lower case becomes upper case, anything else a UUID derived from its text; because the same text
/// always gives the same id, references follow. Where the library has a row under the upper-case id as well, the
/// lower-case one gets a derived id: they are two records and stay two.
final class IDNormalizer {
  /// Rows that share ids.
  enum Space { case charters, items, executions }

  private let connection: SQLiteConnection
  private let schema: LibrarySchema
  /// Which columns are references, by table and position.
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

  /// The id of a row; begins the record in the encoder and reports an id that the app cannot look up.
  func normalize(_ row: RowCursor, encoder: inout RowEncoder, label: String) -> String {
    let raw = String(decoding: row.id, as: UTF8.self)
    let form = UUIDText.form(of: row.id)
    if form == .canonical {
      encoder.begin(id: raw, label: label)
      return raw
    }
    let id = reference(raw, to: Self.space(row.map.table))
    encoder.begin(id: id, label: label)
    reportID(of: row, as: id, encoder)
    if !raw.isEmpty { encoder.keepRaw("id", text: raw) }
    return id
  }

  /// Reports a row's id that is not in the app's form.
  func reportID(of row: RowCursor, as id: String, _ encoder: borrowing RowEncoder) {
    let form = UUIDText.form(of: row.id)
    if form == .canonical { return }
    let raw = String(decoding: row.id, as: UTF8.self)
    let isTwin = form == .otherCase && id != raw.uppercased()
    let shown = Diagnostic.beginning(of: raw)
    let becomes = "it becomes \(id)" + (isTwin ? ", because \(raw.uppercased()) is there too" : "")
    let what = form == .otherCase ? "the id \(raw) is in lower case" : "the id \"\(shown)\" is not a UUID"
    encoder.report(form == .otherCase ? .idCase : .idNotUUID, "\(what); \(becomes)", row, "id")
  }

  /// What a reference to `raw` is written as.
  func reference(_ raw: String, to space: Space) -> String {
    switch UUIDText.form(of: raw) {
    case .canonical: raw
    case .otherCase:
      // Two rows whose ids differ only in case are two records; a reference means its own spelling if that is there.
      exists(raw.uppercased(), in: space) && exists(raw, in: space)
        ? UUIDText.derived(["other case", raw]) : raw.uppercased()
    case .none: raw.isEmpty ? raw : UUIDText.canonical(raw)
    }
  }

  /// Writes a reference column that needs a look; false when the column can be written as it is.
  func writeReference(
    _ index: Int, of row: RowCursor, encoder: inout RowEncoder, into out: inout ByteBuffer
  ) -> Bool {
    let encoded = row.encoded[index]
    guard encoded.isReference, encoded.position >= 0, row.statement.storage(at: encoded.position) == .text else {
      return false
    }
    let bytes = row.statement.bytes(at: encoded.position)
    if UUIDText.form(of: bytes) == .canonical, bytes[0] != UInt8(ascii: "0") { return false }
    let column = row.map.columns[index].column
    let raw = String(decoding: bytes, as: UTF8.self)
    if column == "creatorID", raw == UUIDText.zero {
      if schema.migrations.contains("v1.9.0_makeCreatorIDNullable") {
        encoder.report(.zeroCreator, "creatorID is all zeros", row, column)
      }
      out.append("null")
      return true
    }
    if UUIDText.form(of: bytes) == .canonical { return false }
    if raw.isEmpty, row.map.columns[index].nullable {
      encoder.keepRaw(row, index)
      out.append("null")
      return true
    }
    let space = Self.references[row.map.table]?[column] ?? .items
    let id = reference(raw, to: space)
    // Anything else that is not empty became another id. Long texts are not compared: their marks would be sorted.
    if !raw.isEmpty {
      if UUIDText.form(of: raw) == .none { encoder.keepRaw(row, index) }
      encoder.report(
        UUIDText.form(of: raw) == .none ? .idNotUUID : .idCase,
        "'\(column)' is \"\(Diagnostic.beginning(of: raw))\"; it becomes \(id)", row, column, severity: .note)
    }
    out.appendJSONString(id)
    return true
  }

  /// Whether the library lists an item under exactly this id.
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
