/// Decodes cells and reports the rows and index entries in them.
///
/// Memory holds one row at a time.
final class RowReader {
  private let use: PageUse
  private let image: DatabaseImage
  private let tables: [RecoveredTableShape]
  private let indexes: [IndexShape]
  private let receive: (RecoveryEvent) throws -> Void
  /// The tables whose rows are not reported.
  private let silent: Set<Int>
  private var bytes: [UInt8] = []
  private var payload: [UInt8] = []
  private var serials: [Int] = []

  init(
    _ use: PageUse, _ tables: [RecoveredTableShape], _ indexes: [IndexShape], silent: Set<Int>,
    _ receive: @escaping (RecoveryEvent) throws -> Void
  ) {
    self.use = use
    image = use.image
    self.tables = tables
    self.indexes = indexes
    self.silent = silent
    self.receive = receive
  }

  private enum Content {
    case values([RecoveredValue])
    /// The chain is broken, but the first values are intact.
    case cut(PageUse.Fault, [RecoveredValue])
    case broken
  }

  private func decode(_ cell: BTreePage.Cell, for reader: PageUse.Reader) -> Content {
    let range = cell.body..<cell.body + cell.local
    if cell.local == cell.payload {
      guard case .sound(let size) = Record.header(bytes, range, payload: cell.payload, into: &serials) else {
        return .broken
      }
      return .values(
        Record.values(bytes, from: cell.body + size, to: range.upperBound, serials: serials, image.encoding))
    }
    // The payload of a record with an invalid header cannot be located.
    if case .broken = Record.header(bytes, range, payload: cell.payload, into: &serials) { return .broken }
    let fault = use.readPayload(cell, in: bytes, for: reader, into: &payload)
    let head = Record.header(payload, 0..<payload.count, payload: cell.payload, into: &serials)
    guard case .sound(let size) = head else {
      return fault.map { .cut($0, []) } ?? .broken
    }
    let values = Record.values(payload, from: size, to: payload.count, serials: serials, image.encoding)
    return fault.map { .cut($0, values) } ?? .values(values)
  }

  /// Claims the overflow pages of a page's cells.
  func claimChains(_ page: UInt32, _ claimant: PageUse.Claimant, as kind: BTreePage.Kind? = nil) {
    guard let content = image.tree(page, into: &bytes, as: kind) else { return }
    for cell in content.cells where cell.overflow != 0 {
      let range = cell.body..<cell.body + cell.local
      if case .broken = Record.header(bytes, range, payload: cell.payload, into: &serials) { continue }
      use.claim(cell, claimant)
    }
  }

  // MARK: Pages of trees

  /// Reports the rows in a sound table leaf.
  func readLeaf(_ page: UInt32, _ table: Int, _ origin: RecoveryOrigin, _ claimant: PageUse.Claimant) throws {
    guard let content = image.tree(page, into: &bytes) else { return }
    for cell in content.cells {
      try handOut(decode(cell, for: .claimed(claimant)), cell.rowid, page, table, origin)
    }
  }

  @discardableResult
  private func handOut(
    _ content: Content, _ rowid: Int64, _ page: UInt32, _ table: Int, _ origin: RecoveryOrigin
  ) throws -> Bool {
    switch content {
    case .values(let values):
      guard let row = tables[table].row(values, rowid: rowid, isTrusted: origin == .tree) else {
        try damage(page, tables[table].name, .doesNotFit, rowid, values)
        return false
      }
      if !silent.contains(table) {
        try receive(
          .row(RecoveredRow(table: tables[table].name, rowid: rowid, values: row, page: page, origin: origin)))
      }
      return true
    case .cut(let fault, let values): try damage(page, tables[table].name, fault.reason, rowid, values)
    case .broken: try damage(page, tables[table].name, .brokenCell, rowid)
    }
    return false
  }

  /// Reports the entries in an index page.
  /// - Parameter index: the index. If it is nil, the entries determine to which indexes the page may belong.
  func readIndexPage(_ page: UInt32, _ index: Int?, _ origin: RecoveryOrigin, _ claimant: PageUse.Claimant) throws {
    guard let content = image.tree(page, into: &bytes), !content.kind.isTable else { return }
    let candidates = index.map { [$0] } ?? candidates(content, claimant)
    guard !candidates.isEmpty else { return }
    let name = index.map { indexes[$0].name }
    for cell in content.cells {
      switch decode(cell, for: .claimed(claimant)) {
      case .values(let values):
        let fitting = candidates.filter { indexes[$0].entry(values) != nil }
        guard let first = fitting.first, let (keys, rowid) = indexes[first].entry(values) else {
          try damage(page, name, .doesNotFit, nil, values)
          continue
        }
        try receive(
          .indexEntry(
            RecoveredIndexEntry(
              indexes: fitting.map { indexes[$0].name }, keys: keys, rowid: rowid, page: page, origin: origin)))
      case .cut(let fault, let values): try damage(page, name, fault.reason, nil, values)
      case .broken: try damage(page, name, .brokenCell, nil)
      }
    }
  }

  /// Returns the indexes that match the most entries in a page, if they match at least half of the entries.
  private func candidates(_ content: BTreePage, _ claimant: PageUse.Claimant) -> [Int] {
    var counts = Array(repeating: 0, count: indexes.count)
    for cell in content.cells {
      guard case .values(let values) = decode(cell, for: .claimed(claimant)) else { continue }
      for (number, index) in indexes.enumerated() where index.entry(values) != nil { counts[number] += 1 }
    }
    guard let most = counts.max(), most > 0, 2 * most >= content.cells.count else { return [] }
    return counts.indices.filter { counts[$0] == most }
  }

  // MARK: Pages without a tree

  /// Returns the table that matches the most rows in the given pages, or nil if no table matches at least half of the
  /// rows or several tables match equally many.
  func table(of pages: ArraySlice<UInt32>, _ claimant: PageUse.Claimant) -> Int? {
    var counts = Array(repeating: 0, count: tables.count)
    var total = 0
    for page in pages {
      guard let content = image.tree(page, into: &bytes) else { continue }
      total += content.cells.count
      count(content, .claimed(claimant), &counts)
    }
    return Self.best(counts, total).count == 1 ? Self.best(counts, total).first : nil
  }

  private func count(_ content: BTreePage, _ reader: PageUse.Reader, _ counts: inout [Int]) {
    for cell in content.cells {
      // Reading the payload would use up the chains of free pages and of searched rows, so only the record headers are
      // checked.
      let range = cell.body..<cell.body + cell.local
      guard case .sound(let size) = Record.header(bytes, range, payload: cell.payload, into: &serials) else { continue }
      let fitting = tables.indices.filter { tables[$0].fits(serials: serials) }
      guard !fitting.isEmpty else { continue }
      if cell.overflow != 0 {
        for table in fitting { counts[table] += 1 }
        continue
      }
      let values = Record.values(bytes, from: cell.body + size, to: range.upperBound, serials: serials, image.encoding)
      for table in fitting where tables[table].row(values, rowid: cell.rowid) != nil { counts[table] += 1 }
    }
  }

  private static func best(_ counts: [Int], _ total: Int) -> [Int] {
    guard let most = counts.max(), most > 0, 2 * most >= total else { return [] }
    return counts.indices.filter { counts[$0] == most }
  }

  /// Reports the rows in a leaf that no tree refers to, if at least half of them match a table.
  /// - Parameter hint: the table to which the page may belong. It is used if the rows match several tables.
  /// - Parameter view: a version of the page other than the current one. Rows that both versions contain are not
  ///   reported.
  /// - Parameter isStrict: whether damage is not reported, and a page that is not sound is skipped.
  func readStrayLeaf(
    _ page: UInt32, _ view: DatabaseImage.View = .current, hint: Int?, _ origin: RecoveryOrigin,
    _ reader: PageUse.Reader, isStrict: Bool = false
  ) throws {
    guard let content = image.tree(page, view, into: &bytes), content.kind == .tableLeaf,
      content.isSound || !isStrict
    else { return }
    let misplaced = BTreePage.outOfOrder(content.cells, in: .min ... .max)
    if isStrict, misplaced != nil { return }
    let current = view == .current ? [:] : currentCells(page)
    var counts = Array(repeating: 0, count: tables.count)
    count(content, reader, &counts)
    var candidates = Self.best(counts, content.cells.count)
    if let hint, candidates.contains(hint) { candidates = [hint] }
    if candidates.isEmpty {
      // The table that refers to the page may have rows that its shape does not allow. These rows are reported too.
      if let hint, !isStrict { try reportCells(content, page, hint, reader) }
      return
    }
    for (index, cell) in content.cells.enumerated() {
      if misplaced?.contains(index) == true {
        try damage(page, nil, .rowidOutOfOrder, cell.rowid)
        continue
      }
      if let same = current[cell.rowid], same.elementsEqual(bytes[cell.start..<cell.end]) { continue }
      switch decode(cell, for: reader) {
      case .values(let values):
        // Rows have fewer values than their table has columns only if they are older than an added column.
        var fitting = candidates.filter { tables[$0].row(values, rowid: cell.rowid) != nil }
        let full = fitting.filter { tables[$0].columns.count == values.count }
        if fitting.count > 1, !full.isEmpty { fitting = full }
        if fitting.count == 1, let table = fitting.first {
          try handOut(.values(values), cell.rowid, page, table, origin)
        } else if !isStrict {
          try damage(page, nil, fitting.isEmpty ? .doesNotFit : .ambiguous, cell.rowid, values)
        }
      case let broken where !isStrict:
        if candidates.count == 1, let table = candidates.first {
          try handOut(broken, cell.rowid, page, table, origin)
        } else if case .cut(let fault, let values) = broken {
          try damage(page, nil, fault.reason, cell.rowid, values)
        } else {
          try damage(page, nil, .brokenCell, cell.rowid)
        }
      default: break
      }
    }
  }

  private func reportCells(_ content: BTreePage, _ page: UInt32, _ table: Int, _ reader: PageUse.Reader) throws {
    for cell in content.cells {
      if case .values(let values) = decode(cell, for: reader) {
        try damage(page, tables[table].name, .doesNotFit, cell.rowid, values)
      }
    }
  }

  /// Returns the cells in the current version of a page, keyed by rowid, so that equal cells are not reported again.
  private func currentCells(_ page: UInt32) -> [Int64: ArraySlice<UInt8>] {
    var bytes: [UInt8] = []
    guard let content = image.tree(page, into: &bytes), content.kind == .tableLeaf,
      content.isSound
    else { return [:] }
    return Dictionary(
      content.cells.map { ($0.rowid, bytes[$0.start..<$0.end]) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Damaged pages

  /// Reports the readable rows in a damaged leaf: first the cells that its pointers refer to, then records between
  /// them.
  /// - Parameter table: the table that refers to the page; nil if no table does. If it is nil, only tables with a check
  ///   are considered.
  /// - Parameter range: the rowids that the page can contain.
  func readDamagedLeaf(_ page: UInt32, _ table: Int?, _ range: ClosedRange<Int64>) throws {
    guard let content = image.tree(page, into: &bytes, as: .tableLeaf), !mayBeOverflow(bytes) else { return }
    let candidates = table.map { [$0] } ?? tables.indices.filter { tables[$0].check != nil }
    let misplaced = BTreePage.outOfOrder(content.cells, in: range)
    var taken = RowSearch.Gaps(from: content.areaStart, to: content.end)
    var rowids: Set<Int64> = []
    for block in content.freeBlocks { taken.remove(block) }
    for (index, cell) in content.cells.enumerated() {
      let decoded = decode(cell, for: .claimed(.other))
      if case .broken = decoded {
        // If the header is garbage, the pointers are garbage too, and the cells never existed.
        if let table, content.hasSoundHeader { try damage(page, tables[table].name, .brokenCell, cell.rowid) }
        continue
      }
      if misplaced?.contains(index) == true {
        if let table, content.hasSoundHeader { try damage(page, tables[table].name, .rowidOutOfOrder, cell.rowid) }
        continue
      }
      if case .values(let values) = decoded {
        let fitting = candidates.filter { tables[$0].row(values, rowid: cell.rowid) != nil }
        if fitting.count == 1, let found = fitting.first {
          try handOut(decoded, cell.rowid, page, found, .damagedPage)
          rowids.insert(cell.rowid)
          taken.remove(cell.start..<cell.end)
        } else if let table {
          try damage(page, tables[table].name, .doesNotFit, cell.rowid, values)
        }
      } else if let table {
        try handOut(decoded, cell.rowid, page, table, .damagedPage)
        rowids.insert(cell.rowid)
        taken.remove(cell.start..<cell.end)
      }
    }
    try searchGaps(taken, page, candidates, rowids, range)
  }

  /// Searches for records in the bytes that do not belong to a cell. If two records have the same rowid, both are
  /// reported as damage.
  private func searchGaps(
    _ gaps: RowSearch.Gaps, _ page: UInt32, _ candidates: [Int], _ known: Set<Int64>, _ range: ClosedRange<Int64>
  ) throws {
    let search = RowSearch(usable: image.usableSize, shapes: candidates.map { ($0, tables[$0]) })
    let cells = search.cells(bytes, gaps, image.encoding).filter {
      range.contains($0.cell.rowid) && !known.contains($0.cell.rowid)
    }
    let counts = Dictionary(cells.map { ($0.cell.rowid, 1) }, uniquingKeysWith: +)
    for (table, cell) in cells {
      let decoded = decode(cell, for: .unclaimed)
      if counts[cell.rowid] == 1 {
        try handOut(decoded, cell.rowid, page, table, .damagedPage)
      } else if case .values(let values) = decoded {
        try damage(page, tables[table].name, .ambiguous, cell.rowid, values)
      }
    }
  }

  /// Returns whether a page begins like an overflow page and not like a damaged tree page: with a page number or zero,
  /// followed by content.
  private func mayBeOverflow(_ bytes: [UInt8]) -> Bool {
    Int(bytes.number32(0)) <= image.pageCount && bytes.number32(4) != 0
  }

  private func damage(
    _ page: UInt32, _ name: String?, _ reason: RecoveryDamage.Reason, _ rowid: Int64?, _ values: [RecoveredValue] = []
  ) throws {
    try receive(.damage(RecoveryDamage(page: page, name: name, reason: reason, rowid: rowid, values: values)))
  }
}

/// Searches for table cells in bytes that no pointer refers to.
///
/// A cell is accepted only if its record fills it exactly and has all columns of a table, each with a possible value.
/// The time is proportional to the number of bytes.
struct RowSearch {
  /// The bytes that do not belong to a cell.
  struct Gaps {
    private(set) var ranges: [Range<Int>]

    init(from start: Int, to end: Int) { ranges = start < end ? [start..<end] : [] }

    /// Removes a range of bytes.
    mutating func remove(_ range: Range<Int>) {
      taken.append(range)
    }

    private var taken: [Range<Int>] = []

    /// The remaining ranges.
    var left: [Range<Int>] {
      guard let all = ranges.first else { return [] }
      var result: [Range<Int>] = []
      var start = all.lowerBound
      for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if range.lowerBound > start { result.append(start..<min(range.lowerBound, all.upperBound)) }
        start = max(start, range.upperBound)
      }
      if start < all.upperBound { result.append(start..<all.upperBound) }
      return result.filter { !$0.isEmpty }
    }
  }

  private let limits: BTreePage.Limits
  private let shapes: [(table: Int, shape: RecoveredTableShape)]
  private let headerSizes: ClosedRange<Int>?

  /// - Parameter shapes: the tables whose rows to search for, with their numbers.
  init(usable: Int, shapes: [(table: Int, shape: RecoveredTableShape)]) {
    limits = BTreePage.Limits(usable: usable, kind: .tableLeaf)
    self.shapes = shapes
    let counts = shapes.map(\.shape.columns.count)
    if let least = counts.min(), let most = counts.max() {
      // A serial type takes at most five bytes in a record that SQLite can write.
      headerSizes = least + 1...5 * most + 3
    } else {
      headerSizes = nil
    }
  }

  /// Returns the cells that were found, in the order of their bytes. No two cells share a byte.
  func cells(_ bytes: [UInt8], _ gaps: Gaps, _ encoding: DatabaseEncoding) -> [(table: Int, cell: BTreePage.Cell)] {
    guard let headerSizes else { return [] }
    var result: [(table: Int, cell: BTreePage.Cell)] = []
    var serials: [Int] = []
    // The budget limits the work, so that hostile bytes are not decoded again and again.
    var budget = 8 * limits.usable
    for gap in gaps.left {
      var start = gap.lowerBound
      while start < gap.upperBound, budget > 0 {
        defer { start += 1 }
        guard let cell = limits.cell(bytes, start, .tableLeaf), cell.end <= gap.upperBound,
          let (size, _) = bytes.varint(cell.body, before: cell.body + cell.local),
          size <= Int64(headerSizes.upperBound),
          size >= Int64(headerSizes.lowerBound)
        else { continue }
        let range = cell.body..<cell.body + cell.local
        guard case .sound(let size) = Record.header(bytes, range, payload: cell.payload, into: &serials) else {
          continue
        }
        let fitting = shapes.filter { $0.shape.columns.count == serials.count && $0.shape.fits(serials: serials) }
        guard !fitting.isEmpty else { continue }
        budget -= cell.local
        let values = Record.values(bytes, from: cell.body + size, to: range.upperBound, serials: serials, encoding)
        // The values in a record with overflow pages are checked when the record is read.
        let rows = fitting.filter { cell.overflow != 0 || $0.shape.row(values, rowid: cell.rowid) != nil }
        guard rows.count == 1, let found = rows.first else { continue }
        result.append((found.table, cell))
        start = cell.end - 1
      }
    }
    return result
  }
}
