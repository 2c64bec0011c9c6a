import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteIO

/// Writes rows of a library table from canonical objects.
///
/// Only columns that the library has are written. `dropped` lists the members for which an older schema has no column.
final class RowWriter {
  private enum Code { case text, createdDate, date, bool, integer, real, json, rawJSON }

  private struct Binding {
    /// The member's index in the shape.
    let member: Int
    let code: Code
    let nullable: Bool
    /// The default value in the app's schema, as JSON.
    let absent: String
    let column: String
    /// Whether a missing creator is stored as the all-zero UUID, as in schemas before 1.9.0.
    let zeroIsNobody: Bool
  }

  private let shape: Shape
  private let connection: SQLiteConnection
  private let insertion: SQLiteStatement
  private let change: SQLiteStatement
  private let bindings: [Binding]
  /// The members for which this library's schema has no column.
  private let missing: [(member: Int, column: ColumnMap)]
  /// The token index of each member of the loaded object; -1 for a missing member.
  private let slots: UnsafeMutableBufferPointer<Int>
  private var node: JSONNode?
  private var scratch = ByteBuffer(capacity: 1 << 14)
  /// Whether the loaded object has members without a column.
  private(set) var hasMore = false
  /// The value that replaces a missing creation time.
  var createdFallback = Timestamp(milliseconds: 0)
  /// The value that replaces any other required time that is missing.
  var fallback = Timestamp(milliseconds: 0)

  /// Prepares writing to a table; returns nil if the library does not have the table.
  /// - Parameter tables: the columns of each table in the library.
  init?(
    _ map: TableMap, _ shape: Shape, tables: [String: [String]], _ connection: SQLiteConnection
  ) throws(SQLiteError) {
    guard let present = tables[map.table] else { return nil }
    self.shape = shape
    self.connection = connection
    let written = map.columns.filter { present.contains($0.column) }
    let table = RowCursor.quoted(map.table)
    let names = written.map { RowCursor.quoted($0.column) }
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    insertion = try connection.prepare(
      "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))", as: "insert into '\(map.table)'")
    let settings = names.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    change = try connection.prepare(
      "UPDATE \(table) SET \(settings) WHERE id = ?\(names.count + 1)", as: "change a row of '\(map.table)'")
    let strict = try connection.rows("SELECT name FROM pragma_table_info(?) WHERE \"notnull\"", [map.table])
    let needsCreator = strict.contains { $0[0] == "creatorID" }
    slots = .allocate(capacity: shape.members.count)
    slots.initialize(repeating: -1)
    func member(_ column: ColumnMap) -> Int { shape.members.firstIndex { $0.nameText == column.member } ?? 0 }
    bindings = written.map { column in
      let code: Code =
        switch column.kind {
        case .id, .reference, .text, .choice: .text
        case .date: column.column == "createdAt" ? .createdDate : .date
        case .bool: .bool
        case .integer: .integer
        case .real: .real
        case .tags, .sections, .itemStates: .json
        case .publicMetadata, .payload: .rawJSON
        }
      return Binding(
        member: member(column), code: code, nullable: column.nullable, absent: column.absent, column: column.column,
        zeroIsNobody: column.column == "creatorID" && needsCreator)
    }
    missing = map.columns.filter { !present.contains($0.column) }.map { (member($0), $0) }
  }

  deinit { slots.deallocate() }

  /// Whether a column's unreadable original value is written back. This is safe because the app reads it like NULL. If
  /// a part of the original could be read, that part is written instead.
  static func restoresRaw(_ column: String, of record: JSONNode) -> Bool {
    switch column {
    case "payload": record.member("payload")?.isNull ?? true
    case "publicMetadata": record.member("public_metadata")?.isNull ?? true
    default: false
    }
  }

  /// Loads a canonical object and locates its members.
  func load(_ node: JSONNode) {
    self.node = node
    slots.update(repeating: -1)
    hasMore = false
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape.index(of: node.at(child).inner.span, from: hint)
      if index >= 0 {
        slots[index] = child + 1
        hint = index + 1
        if shape.members[index].kind == .extras { hasMore = true }
      } else {
        hasMore = true
      }
      child = Int(node.tokens[child + 1].next)
    }
  }

  /// Returns the value of a member of the loaded object; nil if it is missing or null.
  func value(_ name: StaticString) -> JSONNode? {
    guard let node else { return nil }
    let index = name.withUTF8Buffer { shape.index(of: $0.span, from: 0) }
    guard index >= 0, slots[index] >= 0 else { return nil }
    let value = node.at(slots[index])
    return value.isNull ? nil : value
  }

  /// The id of the loaded object.
  var ownID: String { value("id")?.string ?? "" }

  /// Returns a time member of the loaded object.
  func date(_ name: StaticString) -> Timestamp? {
    guard let value = value(name), value.kind == .string else { return nil }
    return Timestamp.parse(value.inner.span)?.0
  }

  /// The members of the loaded object whose numbers are rounded, because a floating-point column cannot hold them
  /// exactly.
  var rounded: [String] {
    bindings.compactMap { binding in
      guard binding.code == .real, slots[binding.member] >= 0, let node else { return nil }
      let value = node.at(slots[binding.member])
      // Numbers of up to fifteen digits are always exact.
      guard value.kind == .number, value.raw.count > 15 || value.raw.contains(where: { $0 | 0x20 == 0x65 }) else {
        return nil
      }
      let written = value.double.map { $0.isFinite ? "\($0)" : "" } ?? ""
      let isExact = !written.isEmpty && JSONNumber.equal(written.utf8.span, value.raw.span)
      return isExact ? nil : shape.members[binding.member].nameText
    }
  }

  /// The members of the loaded object that have no column in this library and differ from their default values.
  var dropped: [String] {
    missing.compactMap { member, column in
      guard slots[member] >= 0, let node else { return nil }
      let value = node.at(slots[member])
      if value.isNull || String(decoding: value.raw, as: UTF8.self) == column.absent { return nil }
      return column.member
    }
  }

  /// Inserts the loaded object; returns nil on success, otherwise the reason why it cannot be inserted.
  func insert(_ kind: RecordKind) throws(SQLiteError) -> RowOutcome? {
    bindAll(to: insertion)
    do throws(SQLiteError) {
      try insertion.run()
      return nil
    } catch {
      guard error.isConstraint else { throw error }
      return .rejected(.duplicateRecord, Self.conflict(error, kind))
    }
  }

  /// Replaces the row whose current id is `id` with the loaded object. Returns false if the row does not exist.
  /// - Throws: `SQLiteError`, including constraint violations.
  @discardableResult
  func update(row id: String) throws(SQLiteError) -> Bool {
    bindAll(to: change)
    change.bind(id, at: bindings.count + 1)
    try change.run()
    return connection.changes > 0
  }

  private func bindAll(to statement: SQLiteStatement) {
    guard let node else { return }
    scratch.removeAll()
    // Values are bound in place, so the scratch buffer must not move before the row is inserted.
    scratch.reserve(2 * Int(node.token.length) + 64 * bindings.count)
    for (index, binding) in bindings.enumerated() {
      let slot = slots[binding.member]
      if slot < 0 || node.at(slot).isNull {
        bindNothing(binding, at: index + 1, to: statement)
      } else {
        bind(node.at(slot), binding.code, at: index + 1, to: statement)
      }
    }
  }

  static func conflict(_ error: SQLiteError, _ kind: RecordKind) -> String {
    if error.message.contains("checklistExecutionStates.checklistID") {
      return "the charter already has another execution of the same checklist"
    }
    if error.message.contains("NOT NULL") { return "a value is missing: \(error.message)" }
    return "another \(kind.name.replacing("_", with: " ")) has the same id; the first one is kept"
  }

  // MARK: Binding

  private func bindNothing(_ binding: Binding, at index: Int, to statement: SQLiteStatement) {
    switch binding.code {
    case .createdDate: return bindDate(createdFallback, at: index, to: statement)
    case .date where !binding.nullable: return bindDate(fallback, at: index, to: statement)
    case .rawJSON:
      if let raw = rawText(binding.column) { return statement.bind(raw, at: index) }
    default: break
    }
    if binding.zeroIsNobody { return statement.bind(CanonicalUUID.zero, at: index) }
    if binding.nullable { return statement.bindNull(at: index) }
    // Bind the default value from the app's schema.
    let literal = binding.absent
    switch binding.code {
    case .bool, .integer: statement.bind(Int64(0), at: index)
    case .json: statement.bind(literal, at: index)
    default: statement.bind(literal.hasPrefix("\"") ? String(literal.dropFirst().dropLast()) : "", at: index)
    }
  }

  /// Returns a column's unreadable original value, which is kept under `extras.raw`.
  private func rawText(_ column: String) -> String? {
    guard hasMore, let node, Self.restoresRaw(column, of: node), let raw = node.member("extras")?.member("raw") else {
      return nil
    }
    var text: String?
    raw.forEachMember { name, value in
      if name.string == column { text = value.string }
    }
    return text
  }

  @inline(__always)
  private func bind(_ value: JSONNode, _ code: Code, at index: Int, to statement: SQLiteStatement) {
    switch code {
    case .text: bindText(value, at: index, to: statement)
    case .date, .createdDate:
      let inner = value.inner.span
      guard inner.count == 24 else {
        return bindDate(Timestamp.parse(inner)?.0 ?? fallback, at: index, to: statement)
      }
      let start = scratch.count
      scratch.append(inner.extracting(first: 10))
      scratch.append(UInt8(ascii: " "))
      scratch.append(inner.extracting(11..<23))
      bindScratch(from: start, at: index, to: statement)
    case .bool: statement.bind(Int64(value.kind == .true ? 1 : 0), at: index)
    case .integer: statement.bind(value.integer ?? 0, at: index)
    case .real: statement.bind(value.double ?? 0.0, at: index)
    case .json, .rawJSON:
      let start = scratch.count
      Self.appendAppJSON(value.raw.span, into: &scratch)
      bindScratch(from: start, at: index, to: statement)
    }
  }

  private func bindText(_ value: JSONNode, at index: Int, to statement: SQLiteStatement) {
    guard value.token.flags.contains(.escaped) else { return statement.bindInPlace(value.inner.span, at: index) }
    let start = scratch.count
    JSONStrings.unescape(value.inner.span, into: &scratch)
    bindScratch(from: start, at: index, to: statement)
  }

  private func bindDate(_ date: Timestamp, at index: Int, to statement: SQLiteStatement) {
    let start = scratch.count
    scratch.appendColumnDate(date)
    bindScratch(from: start, at: index, to: statement)
  }

  private func bindScratch(from start: Int, at index: Int, to statement: SQLiteStatement) {
    statement.bindInPlace(scratch.bytes.span.extracting(droppingFirst: start), at: index)
  }

  /// Appends canonical JSON, which never escapes slashes, as the app encodes it, with `/` written as `\/`.
  private static func appendAppJSON(_ json: Span<UInt8>, into out: inout ByteBuffer) {
    var at = 0
    while let found = json.firstIndex(of: UInt8(ascii: "/"), from: at) {
      out.append(json.extracting(at..<found))
      out.append("\\/")
      at = found + 1
    }
    out.append(json.extracting(droppingFirst: at))
  }
}
