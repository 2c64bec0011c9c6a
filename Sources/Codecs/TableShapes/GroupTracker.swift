import Interchange
import JSONText

/// Reads rows one by one and detects where the rows of another checklist or deck begin.
///
/// A row belongs to the item with its id. A row without an id belongs to the item with its key, a row without either to
/// the item with its title, and a row without all three to the item of the row above.
struct GroupTracker: ~Copyable {
  let idCell: Int
  let titleCell: Int
  private let keyCell: Int
  /// The texts that identify the current group. A text is empty if the group's first row lacks it.
  private(set) var id = ByteBuffer(capacity: 64)
  private(set) var title = ByteBuffer(capacity: 256)
  private(set) var key = ByteBuffer(capacity: 64)
  private var hasGroup = false

  /// The kind of text that identifies a group.
  enum Anchor {
    case id, key, title
  }

  /// - Parameter key: the cell of the column that distinguishes items; -1 if no column does.
  init(_ layout: TableLayout, key: Int) {
    let isDeck = layout.shape == .cards
    idCell = layout.cell(isDeck ? .deckID : .checklistID)
    titleCell = layout.cell(isDeck ? .deck : .checklist)
    keyCell = key
  }

  /// Whether the table has a column that distinguishes items.
  var tellsApart: Bool { idCell >= 0 || titleCell >= 0 || keyCell >= 0 }

  /// The kind of text that identifies the current group.
  var anchor: Anchor { id.count > 0 ? .id : key.count > 0 ? .key : .title }

  /// Moves to a row.
  /// - Returns: whether a new group begins with the row.
  @inline(__always)
  mutating func advance(_ row: borrowing TableRow) -> Bool {
    let rowID = row.trimmed(idCell).span
    let rowKey = row.trimmed(keyCell).span
    let rowTitle = row.trimmed(titleCell).span
    if continues(rowID, rowKey, rowTitle) { return false }
    hasGroup = true
    id.removeAll()
    id.append(rowID)
    key.removeAll()
    key.append(rowKey)
    title.removeAll()
    title.append(rowTitle)
    return true
  }

  /// Returns whether a row belongs to the current group.
  func isSame(_ row: borrowing TableRow) -> Bool {
    continues(row.trimmed(idCell).span, row.trimmed(keyCell).span, row.trimmed(titleCell).span)
  }

  @inline(__always)
  private func continues(
    _ rowID: Span<UInt8>, _ rowKey: Span<UInt8>, _ rowTitle: Span<UInt8>
  ) -> Bool {
    guard hasGroup else { return false }
    if !rowID.isEmpty { return rowID.equals(id.bytes.span) }
    if !rowKey.isEmpty { return rowKey.equals(key.bytes.span) }
    return rowTitle.isEmpty || rowTitle.equals(title.bytes.span)
  }

  /// Forgets the current group.
  mutating func begin() { hasGroup = false }

  /// A hash of the text that identifies the current group.
  var hash: KeyHash {
    switch anchor {
    case .id: KeyHash(id.bytes.span, kind: 0)
    case .key: KeyHash(key.bytes.span, kind: 1)
    case .title: KeyHash(title.bytes.span, kind: 2)
    }
  }
}

/// A 128-bit hash that represents a string in sets of groups. The hash differs from run to run, so that an attacker
/// cannot construct two strings with the same hash.
struct KeyHash: Hashable {
  let first: Int
  private let second: Int

  /// Hashes a string of a given kind.
  init(_ text: Span<UInt8>, kind: UInt8) {
    var one = Hasher()
    var two = Hasher()
    one.combine(kind)
    two.combine(kind ^ 0x80)
    text.bytes.withUnsafeBytes {
      one.combine(bytes: $0)
      two.combine(bytes: $0)
    }
    first = one.finalize()
    second = two.finalize()
  }
}

/// The result of a first pass over all rows of a table: which rows belong together and whether they are adjacent.
struct TableGrouping {
  /// The values that the column of `--key` distinguishes.
  enum KeyRole {
    case rows, items
  }

  /// Whether the rows of an item are not adjacent.
  var isScattered = false
  /// The ids, keyed by the titles next to them, for rows without an id.
  var idsByTitle: [KeyHash: KeyHash] = [:]
  /// The values that the column of `--key` distinguishes; nil without such a column.
  var keyRole: KeyRole?
  /// Whether a cell of the minutes column is kept as text although the table has no details column.
  private(set) var keepsMinutes = false

  /// Reads the rows below the header, then goes back to the first of these rows.
  /// - Throws: `RunFailure` if the source cannot be read.
  init(_ rows: TableBody, _ layout: TableLayout, header: Int, retry: RetryOrigin?) throws {
    if let key = layout.key {
      // A few rejected rows do not reveal what the column distinguished in the whole table.
      keyRole =
        try retry.map { $0.inherits(Self.keyTells, Self.items) ? .items : .rows }
        ?? Self.role(of: key, rows, layout, header)
    }
    rows.tellItems(by: itemKey(layout))
    try scan(rows, layout, header)
    try surveyMinutes(rows, layout, header)
    try Self.rewind(rows, behind: header)
  }

  /// The key under which rejected rows record what the column of `--key` distinguished.
  static let keyTells = "key_tells"
  static let items = "items"

  /// Returns the cell that distinguishes items by `--key`, or -1 if `--key` does not distinguish items.
  func itemKey(_ layout: TableLayout) -> Int { keyRole == .items ? layout.key ?? -1 : -1 }

  /// Goes to the first row below the header.
  static func rewind(_ rows: any TableRows, behind header: Int) throws {
    try rows.rewind()
    var row = TableRow()
    var count = 0
    while count <= header {
      do {
        if try !rows.next(into: &row) { return }
      } catch is TableRowError {}
      count += 1
    }
  }

  /// Calls `body` with every readable row below the header.
  private static func forEach(
    _ rows: any TableRows, _ header: Int, _ body: (borrowing TableRow) -> Bool
  ) throws {
    try rewind(rows, behind: header)
    var row = TableRow()
    var count = 0
    while true {
      count += 1
      if count & 0xFFF == 0 { try Interruption.check() }
      do {
        guard try rows.next(into: &row) else { return }
      } catch is TableRowError {
        continue
      }
      if !body(row) { return }
    }
  }

  private mutating func scan(_ rows: any TableRows, _ layout: TableLayout, _ header: Int) throws {
    var tracker = GroupTracker(layout, key: itemKey(layout))
    guard tracker.tellsApart else { return }
    var seen = Set<KeyHash>()
    var titles = Set<KeyHash>()
    let hasIDs = layout.has(layout.shape == .cards ? .deckID : .checklistID)
    var scattered = false
    var idsByTitle: [KeyHash: KeyHash] = [:]
    try Self.forEach(rows, header) { row in
      guard tracker.advance(row) else { return true }
      let key = tracker.hash
      if hasIDs, tracker.title.count > 0 {
        let title = KeyHash(tracker.title.bytes.span, kind: 2)
        if tracker.anchor == .id {
          if idsByTitle[title] == nil { idsByTitle[title] = key }
        } else {
          titles.insert(title)
        }
      }
      if !seen.insert(key).inserted { scattered = true }
      // If no row has an id, later rows add no information.
      return !scattered || hasIDs
    }
    isScattered = scattered || titles.contains { idsByTitle[$0] != nil }
    self.idsByTitle = idsByTitle
  }

  private mutating func surveyMinutes(_ rows: any TableRows, _ layout: TableLayout, _ header: Int) throws {
    guard layout.shape == .steps, !layout.has(.details), let cell = layout.cells[.minutes] else { return }
    let unit = layout.minuteUnit
    if unit.isStrict { return }
    var keeps = false
    try Self.forEach(rows, header) { row in
      let text = row.trimmed(cell).span
      keeps = !text.isEmpty && unit.steps(text) == nil
      return !keeps
    }
    keepsMinutes = keeps
  }

  /// Determines what a key distinguishes. A key that differs among the rows with one title distinguishes rows; a key
  /// that is the same in all these rows distinguishes items.
  private static func role(
    of key: Int, _ rows: any TableRows, _ layout: TableLayout, _ header: Int
  ) throws -> KeyRole {
    var tracker = GroupTracker(layout, key: -1)
    let hasGroups = tracker.tellsApart
    var last = ByteBuffer(capacity: 64)
    var differs = false
    var repeats = false
    // If the table has no column for the checklist, repeated values cannot be attributed to items.
    guard hasGroups else { return .rows }
    var first = ByteBuffer(capacity: 64)
    var isConstant = true
    var groups = 0
    try forEach(rows, header) { row in
      let text = row.trimmed(key).span
      let isNew = tracker.advance(row)
      if isNew {
        groups += 1
        last.removeAll()
      }
      guard !text.isEmpty else { return true }
      if first.count == 0 { first.append(text) }
      if !text.equals(first.bytes.span) { isConstant = false }
      if last.count == 0 {
        last.append(text)
      } else if text.equals(last.bytes.span) {
        repeats = true
      } else {
        differs = true
      }
      return !differs
    }
    // A value that is the same in all of several checklists does not distinguish items.
    return repeats && !differs && (groups < 2 || !isConstant) ? .items : .rows
  }
}
