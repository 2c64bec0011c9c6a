import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Inserts rows of one table from canonical objects.
final class RowInsert {
  private enum Code { case text, createdDate, date, bool, integer, real, json, rawJSON }

  private struct Binding {
    /// Index of the member in the shape.
    let member: Int
    let code: Code
    let nullable: Bool
  }

  private let map: TableMap
  private let shape: Shape
  private let statement: SQLiteStatement
  private let bindings: [Binding]
  /// Token index of each member of the loaded object, -1 when it has none.
  private let slots: UnsafeMutableBufferPointer<Int>
  private var node: JSONNode?
  private var scratch = ByteBuffer(capacity: 1 << 14)
  /// Whether the loaded object has members that are no columns.
  private(set) var hasMore = false
  /// What a creation time that is missing becomes.
  var createdFallback = Timestamp(milliseconds: 0)
  /// What any other required time that is missing becomes.
  var fallback = Timestamp(milliseconds: 0)

  init(_ map: TableMap, _ shape: Shape, _ connection: SQLiteConnection) throws(SQLiteError) {
    self.map = map
    self.shape = shape
    let columns = map.columns.map { RowCursor.quoted($0.column) }.joined(separator: ", ")
    let marks = Array(repeating: "?", count: map.columns.count).joined(separator: ", ")
    statement = try connection.prepare(
      "INSERT INTO \(RowCursor.quoted(map.table)) (\(columns)) VALUES (\(marks))",
      as: "insert into '\(map.table)'")
    slots = .allocate(capacity: shape.members.count)
    slots.initialize(repeating: -1)
    bindings = map.columns.map { column in
      let member = shape.members.firstIndex { $0.nameText == column.member } ?? 0
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
      return Binding(member: member, code: code, nullable: column.nullable)
    }
  }

  deinit { slots.deallocate() }

  /// Columns whose unreadable original is written back, because the app reads NULL and text alike.
  static func restoresRaw(_ column: String) -> Bool { column == "payload" || column == "publicMetadata" }

  /// Finds the members of a canonical object.
  func load(_ node: JSONNode) {
    self.node = node
    slots.update(repeating: -1)
    hasMore = false
    var hint = 0
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let index = shape.index(of: node.at(child).inner, from: hint)
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

  /// The value of a member of the loaded object, nil when it is missing or null.
  func value(_ name: StaticString) -> JSONNode? {
    guard let node else { return nil }
    let index = name.withUTF8Buffer { shape.index(of: $0, from: 0) }
    guard index >= 0, slots[index] >= 0 else { return nil }
    let value = node.at(slots[index])
    return value.isNull ? nil : value
  }

  /// The id of the loaded object.
  var ownID: String { value("id")?.string ?? "" }

  /// A time of the loaded object.
  func date(_ name: StaticString) -> Timestamp? {
    guard let value = value(name), value.kind == .string else { return nil }
    return Timestamp.parse(value.inner)?.0
  }

  /// Inserts the loaded object; nil when it is in, else why it cannot be.
  func insert(_ kind: RecordKind) throws(SQLiteError) -> RowOutcome? {
    guard let node else { return nil }
    scratch.removeAll()
    // Bound in place: the scratch must not move before the row is in.
    scratch.reserve(2 * Int(node.token.length) + 64 * bindings.count)
    for (index, binding) in bindings.enumerated() {
      let slot = slots[binding.member]
      if slot < 0 || node.at(slot).isNull {
        bindNothing(binding, index)
      } else {
        bind(node.at(slot), binding.code, at: index + 1)
      }
    }
    do throws(SQLiteError) {
      try statement.run()
      return nil
    } catch {
      guard error.isConstraint else { throw error }
      return .rejected(.duplicateRecord, Self.conflict(error, kind))
    }
  }

  private static func conflict(_ error: SQLiteError, _ kind: RecordKind) -> String {
    if error.message.contains("checklistExecutionStates.checklistID") {
      return "there is another execution of the same checklist on the same charter"
    }
    if error.message.contains("NOT NULL") { return "a value is missing: \(error.message)" }
    return "another \(kind.name.replacing("_", with: " ")) has the same id; the first one is kept"
  }

  // MARK: Binding

  private func bindNothing(_ binding: Binding, _ index: Int) {
    switch binding.code {
    case .createdDate: return bindDate(createdFallback, at: index + 1)
    case .date where !binding.nullable: return bindDate(fallback, at: index + 1)
    case .rawJSON:
      if let raw = rawText(map.columns[index].column) { return statement.bind(raw, at: index + 1) }
    default: break
    }
    if binding.nullable { return statement.bindNull(at: index + 1) }
    // What the app's schema calls the default.
    let literal = map.columns[index].absent
    switch binding.code {
    case .bool, .integer: statement.bind(Int64(0), at: index + 1)
    case .json: statement.bind(literal, at: index + 1)
    default: statement.bind(literal.hasPrefix("\"") ? String(literal.dropFirst().dropLast()) : "", at: index + 1)
    }
  }

  /// The unreadable original of a column, kept under `extras.raw`.
  private func rawText(_ column: String) -> String? {
    guard hasMore, Self.restoresRaw(column), let raw = node?.member("extras")?.member("raw") else { return nil }
    var text: String?
    raw.forEachMember { name, value in
      if name.string == column { text = value.string }
    }
    return text
  }

  @inline(__always)
  private func bind(_ value: JSONNode, _ code: Code, at index: Int) {
    switch code {
    case .text: bindText(value, at: index)
    case .date, .createdDate:
      let inner = value.inner
      guard inner.count == 24, let base = inner.baseAddress else {
        return bindDate(Timestamp.parse(inner)?.0 ?? fallback, at: index)
      }
      let start = scratch.count
      scratch.append(base, 10)
      scratch.append(UInt8(ascii: " "))
      scratch.append(base + 11, 12)
      bindScratch(from: start, at: index)
    case .bool: statement.bind(Int64(value.kind == .true ? 1 : 0), at: index)
    case .integer: statement.bind(value.integer ?? 0, at: index)
    case .real: statement.bind(value.double ?? 0.0, at: index)
    case .json, .rawJSON:
      let start = scratch.count
      Self.appendAppJSON(value.raw, into: &scratch)
      bindScratch(from: start, at: index)
    }
  }

  private func bindText(_ value: JSONNode, at index: Int) {
    guard value.token.flags.contains(.escaped) else { return statement.bindInPlace(value.inner, at: index) }
    let start = scratch.count
    JSONStrings.unescape(value.inner, into: &scratch)
    bindScratch(from: start, at: index)
  }

  private func bindDate(_ date: Timestamp, at index: Int) {
    let start = scratch.count
    scratch.appendColumnDate(date)
    bindScratch(from: start, at: index)
  }

  private func bindScratch(from start: Int, at index: Int) {
    statement.bindInPlace(UnsafeBufferPointer(start: scratch.start + start, count: scratch.count - start), at: index)
  }

  /// Appends canonical JSON in the app's spelling: the same, with `/` as `\/`.
  static func appendAppJSON(_ json: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    guard let base = json.baseAddress else { return }
    var at = 0
    while let found = SlashSearch.next(base + at, json.count - at) {
      out.append(base + at, found)
      out.append("\\/")
      at += found + 1
    }
    out.append(base + at, json.count - at)
  }
}
