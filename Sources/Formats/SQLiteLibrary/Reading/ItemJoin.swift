import Content
import Foundation
import SQLiteIO

/// The tables that items are made of.
struct ItemLayouts: Sendable {
  let metadata: TableLayout?
  let checklists: TableLayout?
  let guides: TableLayout?

  /// - Parameter distance: metadata rows from one mark to the next; nil makes none.
  init(schema: LibrarySchema, connection: SQLiteConnection, markEvery distance: Int?) throws(SQLiteError) {
    metadata = try TableLayout(
      TableMaps.content, schema: schema, connection: connection, markEvery: distance)
    checklists = try TableLayout(TableMaps.checklists, schema: schema, connection: connection)
    guides = try TableLayout(TableMaps.practiceGuides, schema: schema, connection: connection)
  }

  /// Whether no table needs looking up, so that every page is read once.
  var areInOrder: Bool { [metadata, checklists, guides].allSatisfy { $0?.isInOrder ?? true } }
}

/// Metadata and bodies that belong together, found by walking three tables side by side in the order of ids.
final class ItemJoin {
  /// What there is under one id. At least one of the three is there.
  struct Row {
    let metadata: RowCursor?
    let checklist: RowCursor?
    let guide: RowCursor?
  }

  private var metadata: RowCursor?
  private var checklists: RowCursor?
  private var guides: RowCursor?
  /// Which rows the last call gave out; they move on at the next.
  private var gaveMetadata = false
  private var gaveChecklist = false
  private var gaveGuide = false

  init(_ layouts: ItemLayouts, connection: SQLiteConnection, range: IDRange = .all) throws(SQLiteError) {
    func open(_ layout: TableLayout?) throws(SQLiteError) -> RowCursor? {
      guard let layout else { return nil }
      return try RowCursor(layout, connection: connection, range: range)
    }
    metadata = try open(layouts.metadata)
    checklists = try open(layouts.checklists)
    guides = try open(layouts.guides)
    try begin()
  }

  /// Starts again with another stretch of ids.
  func restart(_ range: IDRange) throws(SQLiteError) {
    metadata = try metadata?.restarted(range)
    checklists = try checklists?.restarted(range)
    guides = try guides?.restarted(range)
    try begin()
  }

  private func begin() throws(SQLiteError) {
    gaveMetadata = false
    gaveChecklist = false
    gaveGuide = false
    try metadata?.advance()
    try checklists?.advance()
    try guides?.advance()
  }

  /// The rows of the next id; nil at the end.
  func next() throws(SQLiteError) -> Row? {
    if gaveMetadata { try metadata?.advance() }
    if gaveChecklist { try checklists?.advance() }
    if gaveGuide { try guides?.advance() }
    // Most ids have metadata and a checklist; everything is measured against the lowest one.
    let order = Self.order(metadata, checklists)
    let guideOrder = Self.order(order <= 0 ? metadata : checklists, guides)
    gaveMetadata = order <= 0 && guideOrder <= 0 && metadata?.isOnRow ?? false
    gaveChecklist = order >= 0 && guideOrder <= 0 && checklists?.isOnRow ?? false
    gaveGuide = guideOrder >= 0 && guides?.isOnRow ?? false
    guard gaveMetadata || gaveChecklist || gaveGuide else { return nil }
    return Row(
      metadata: gaveMetadata ? metadata : nil, checklist: gaveChecklist ? checklists : nil,
      guide: gaveGuide ? guides : nil)
  }

  /// Which of two rows comes first, as a sign; a cursor without a row comes last.
  @inline(__always)
  private static func order(_ left: RowCursor?, _ right: RowCursor?) -> Int {
    guard let left, left.isOnRow else { return right?.isOnRow ?? false ? 1 : 0 }
    guard let right, right.isOnRow else { return -1 }
    return compare(left, right)
  }

  /// Compares ids as SQLite's BINARY collation does.
  private static func compare(_ left: RowCursor, _ right: RowCursor) -> Int {
    let leftBlob = left.statement.storage(at: left.idPosition) == .blob
    let rightBlob = right.statement.storage(at: right.idPosition) == .blob
    if leftBlob != rightBlob { return leftBlob ? 1 : -1 }
    let first = left.id
    let second = right.id
    if let left = first.baseAddress, let right = second.baseAddress {
      let order = memcmp(left, right, min(first.count, second.count))
      if order != 0 { return Int(order) }
    }
    return first.count - second.count
  }
}
