import Content
import SQLiteIO

/// The tables that items are made of.
struct ItemLayouts: Sendable {
  let metadata: TableLayout?
  let checklists: TableLayout?
  let guides: TableLayout?

  init(schema: LibrarySchema, connection: SQLiteConnection) throws(SQLiteError) {
    metadata = try TableLayout(TableMaps.content, schema: schema, connection: connection)
    checklists = try TableLayout(TableMaps.checklists, schema: schema, connection: connection)
    guides = try TableLayout(TableMaps.practiceGuides, schema: schema, connection: connection)
  }
}

/// Metadata and bodies that belong together, found by walking three tables side by side in the order of ids.
final class ItemJoin {
  /// What there is under one id. At least one of the three is there.
  struct Row {
    let metadata: RowCursor?
    let checklist: RowCursor?
    let guide: RowCursor?
    /// Whether the library has tables for bodies at all.
    let hasBodies: Bool
  }

  private let metadata: RowCursor?
  private let checklists: RowCursor?
  private let guides: RowCursor?
  /// The rows that the last call gave out; they move on at the next.
  private var given: [RowCursor] = []

  init(_ layouts: ItemLayouts, connection: SQLiteConnection, range: IDRange = .all) throws(SQLiteError) {
    func open(_ layout: TableLayout?) throws(SQLiteError) -> RowCursor? {
      guard let layout else { return nil }
      return try RowCursor(layout, connection: connection, range: range)
    }
    metadata = try open(layouts.metadata)
    checklists = try open(layouts.checklists)
    guides = try open(layouts.guides)
    try metadata?.advance()
    try checklists?.advance()
    try guides?.advance()
  }

  /// The rows of the next id; nil at the end.
  func next() throws(SQLiteError) -> Row? {
    for cursor in given { try cursor.advance() }
    given.removeAll(keepingCapacity: true)
    var lowest: RowCursor?
    for case let cursor? in [metadata, checklists, guides] where cursor.isOnRow {
      if lowest.map({ Self.compare(cursor, $0) < 0 }) ?? true { lowest = cursor }
    }
    guard let lowest else { return nil }
    func take(_ cursor: RowCursor?) -> RowCursor? {
      guard let cursor, cursor.isOnRow, cursor === lowest || Self.compare(cursor, lowest) == 0 else { return nil }
      given.append(cursor)
      return cursor
    }
    return Row(
      metadata: take(metadata), checklist: take(checklists), guide: take(guides),
      hasBodies: checklists != nil || guides != nil)
  }

  /// Compares ids as SQLite's BINARY collation does.
  private static func compare(_ left: RowCursor, _ right: RowCursor) -> Int {
    let leftBlob = left.statement.storage(at: left.positions[0]) == .blob
    let rightBlob = right.statement.storage(at: right.positions[0]) == .blob
    if leftBlob != rightBlob { return leftBlob ? 1 : -1 }
    let first = left.id
    let second = right.id
    let count = min(first.count, second.count)
    var index = 0
    while index < count {
      if first[index] != second[index] { return first[index] < second[index] ? -1 : 1 }
      index += 1
    }
    return first.count - second.count
  }
}
