import Interchange
import JSONText

/// Tells where the rows of another checklist or deck begin, row by row.
///
/// A row belongs to the item that its id names; without one to that of its key, without one to that of its title, and
/// without anything to that of the row above.
struct GroupTracker: ~Copyable {
  let idCell: Int
  let titleCell: Int
  private let keyCell: Int
  /// What the current group is known by; empty for what its first row does not say.
  private(set) var id = ByteBuffer(capacity: 64)
  private(set) var title = ByteBuffer(capacity: 256)
  private(set) var key = ByteBuffer(capacity: 64)
  private var hasGroup = false

  /// What a group is known by.
  enum Anchor {
    case id, key, title
  }

  /// - Parameter key: the cell of the column that tells items apart; -1 for none.
  init(_ layout: TableLayout, key: Int) {
    let isDeck = layout.shape == .cards
    idCell = layout.cell(isDeck ? .deckID : .checklistID)
    titleCell = layout.cell(isDeck ? .deck : .checklist)
    keyCell = key
  }

  /// Whether there is anything to tell items apart by.
  var tellsApart: Bool { idCell >= 0 || titleCell >= 0 || keyCell >= 0 }

  /// What the current group is known by.
  var anchor: Anchor { id.count > 0 ? .id : key.count > 0 ? .key : .title }

  /// Moves to a row.
  /// - Returns: whether another group begins with it.
  @inline(__always)
  mutating func advance(_ row: borrowing TableRow) -> Bool {
    let rowID = CellText.trimmed(row.text(idCell))
    let rowKey = CellText.trimmed(row.text(keyCell))
    let rowTitle = CellText.trimmed(row.text(titleCell))
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

  /// Whether a row belongs to the current group.
  func isSame(_ row: borrowing TableRow) -> Bool {
    continues(
      CellText.trimmed(row.text(idCell)), CellText.trimmed(row.text(keyCell)), CellText.trimmed(row.text(titleCell)))
  }

  @inline(__always)
  private func continues(
    _ rowID: UnsafeBufferPointer<UInt8>, _ rowKey: UnsafeBufferPointer<UInt8>, _ rowTitle: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard hasGroup else { return false }
    if !rowID.isEmpty { return CellText.same(rowID, id.bytes) }
    if !rowKey.isEmpty { return CellText.same(rowKey, key.bytes) }
    return rowTitle.isEmpty || CellText.same(rowTitle, title.bytes)
  }

  /// Forgets the group.
  mutating func begin() { hasGroup = false }

  /// What the current group is known by, as a hash.
  var hash: KeyHash {
    switch anchor {
    case .id: KeyHash(id.bytes, kind: 0)
    case .key: KeyHash(key.bytes, kind: 1)
    case .title: KeyHash(title.bytes, kind: 2)
    }
  }
}

/// What stands for a text in tables of groups: 128 bits of a hash that differs from run to run, so that no one can make
/// two texts with the same one.
struct KeyHash: Hashable {
  let first: Int
  private let second: Int

  /// The hash of a text of some sort.
  init(_ text: UnsafeBufferPointer<UInt8>, kind: UInt8) {
    var one = Hasher()
    var two = Hasher()
    one.combine(kind)
    two.combine(kind ^ 0x80)
    one.combine(bytes: UnsafeRawBufferPointer(text))
    two.combine(bytes: UnsafeRawBufferPointer(text))
    first = one.finalize()
    second = two.finalize()
  }
}

/// What one look at all rows of a table says about them: which of them belong together, and whether they stand together.
struct TableSurvey {
  /// What the column of `--key` tells apart.
  enum KeyRole {
    case rows, items
  }

  /// Whether rows of one item are in several places.
  var isScattered = false
  /// Ids by the titles that are next to them, for rows without an id.
  var idsByTitle: [KeyHash: KeyHash] = [:]
  /// What the column of `--key` tells apart; nil without one.
  var keyRole: KeyRole?
  /// Whether a cell of minutes is kept as text where no column is for details.
  private(set) var keepsMinutes = false

  /// Looks at the rows behind the header, and leaves the reader there.
  /// - Throws: `RunFailure` when the source cannot be read on.
  init(_ rows: TableBody, _ layout: TableLayout, header: Int, retry: RetryOrigin?) throws {
    if let key = layout.key {
      // A few rejected rows do not show any more what the column was good for.
      keyRole =
        try retry.map { $0.says(Self.keyTells, Self.items) ? .items : .rows }
        ?? Self.role(of: key, rows, layout, header)
    }
    rows.tellItems(by: itemKey(layout))
    try look(rows, layout, header)
    try lookAtMinutes(rows, layout, header)
    try Self.rewind(rows, behind: header)
  }

  /// How rejected rows remember what the column of `--key` was good for.
  static let keyTells = "key_tells"
  static let items = "items"

  /// The cell that tells items apart by `--key`; -1 for none.
  func itemKey(_ layout: TableLayout) -> Int { keyRole == .items ? layout.key ?? -1 : -1 }

  /// Goes to the first row behind the header.
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

  /// Calls `body` with every row behind the header that is one.
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

  private mutating func look(_ rows: any TableRows, _ layout: TableLayout, _ header: Int) throws {
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
        let title = KeyHash(tracker.title.bytes, kind: 2)
        if tracker.anchor == .id {
          if idsByTitle[title] == nil { idsByTitle[title] = key }
        } else {
          titles.insert(title)
        }
      }
      if !seen.insert(key).inserted { scattered = true }
      // Without ids there is nothing more to learn.
      return !scattered || hasIDs
    }
    isScattered = scattered || titles.contains { idsByTitle[$0] != nil }
    self.idsByTitle = idsByTitle
  }

  private mutating func lookAtMinutes(_ rows: any TableRows, _ layout: TableLayout, _ header: Int) throws {
    guard layout.shape == .steps, !layout.has(.details), let cell = layout.cells[.minutes] else { return }
    let unit = layout.minuteUnit
    if unit.isStrict { return }
    var keeps = false
    try Self.forEach(rows, header) { row in
      let text = CellText.trimmed(row.text(cell))
      keeps = !text.isEmpty && unit.steps(text) == nil
      return !keeps
    }
    keepsMinutes = keeps
  }

  /// A key that differs among the rows of a title tells rows apart; one that is the same in all of them tells items
  /// apart.
  private static func role(
    of key: Int, _ rows: any TableRows, _ layout: TableLayout, _ header: Int
  ) throws -> KeyRole {
    var tracker = GroupTracker(layout, key: -1)
    let hasGroups = tracker.tellsApart
    var last = ByteBuffer(capacity: 64)
    var differs = false
    var repeats = false
    // Without a column that says the checklist, a value that comes twice is a value that comes twice.
    guard hasGroups else { return .rows }
    var first = ByteBuffer(capacity: 64)
    var isConstant = true
    var groups = 0
    try forEach(rows, header) { row in
      let text = CellText.trimmed(row.text(key))
      let isNew = tracker.advance(row)
      if isNew {
        groups += 1
        last.removeAll()
      }
      guard !text.isEmpty else { return true }
      if first.count == 0 { first.append(text) }
      if !CellText.same(text, first.bytes) { isConstant = false }
      if last.count == 0 {
        last.append(text)
      } else if CellText.same(text, last.bytes) {
        repeats = true
      } else {
        differs = true
      }
      return !differs
    }
    // What is the same in all of several checklists tells nothing apart.
    return repeats && !differs && (groups < 2 || !isConstant) ? .items : .rows
  }
}
