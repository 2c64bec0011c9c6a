/// Walks trees from their roots and determines which of their pages can be trusted.
///
/// Trees are walked depth first and in key order. A page is read at most four times, however often trees refer to it.
final class TreeWalk {
  /// The content of a tree.
  enum Content {
    case table(Int)
    case index(Int)
    /// A tree that the caller did not request.
    case foreign
    /// A tree of an unknown table.
    case unknownTable
  }

  struct Tree {
    let name: String?
    let content: Content
  }

  /// A page that is not sound although its tree refers to it.
  struct DamagedPage {
    let page: UInt32
    let tree: Int
    let range: ClosedRange<Int64>
  }

  /// The pages of a tree.
  struct Pages {
    /// The sound leaves of a table, or the sound pages of an index.
    var sound: [UInt32] = []
    var damaged: [DamagedPage] = []
  }

  private struct Visit {
    let page: UInt32
    let range: ClosedRange<Int64>
    let depth: Int
  }

  let use: PageUse
  private(set) var trees: [Tree] = []
  /// For each page, a table that refers to the page from a position where the page's rows do not belong.
  private(set) var hints: [UInt32: Int] = [:]
  /// Whether a tree that the caller requested is damaged.
  private(set) var hasDamage = false
  private let image: DatabaseImage
  private let tables: [RecoveredTableShape]
  private let indexes: [IndexShape]
  private let report: (RecoveryDamage) throws -> Void
  private let tick: () throws -> Void
  private var readings: [UInt8]
  private var bytes: [UInt8] = []
  private var serials: [Int] = []

  /// The largest depth of a tree, which SQLite calls `BTCURSOR_MAX_DEPTH`.
  private static let maximumDepth = 20

  init(
    _ use: PageUse, _ tables: [RecoveredTableShape], _ indexes: [IndexShape],
    report: @escaping (RecoveryDamage) throws -> Void, tick: @escaping () throws -> Void
  ) {
    self.use = use
    image = use.image
    self.tables = tables
    self.indexes = indexes
    self.report = report
    self.tick = tick
    readings = Array(repeating: 0, count: image.pageCount + 1)
  }

  /// Walks a tree and assigns its pages to it.
  func walk(_ tree: Tree, from root: UInt32) throws -> Pages {
    let number = trees.count
    trees.append(tree)
    var pages = Pages()
    var stack = [Visit(page: root, range: .min ... .max, depth: 0)]
    while let visit = stack.popLast() {
      let children = try visitPage(visit, tree, number, &pages)
      stack.append(contentsOf: children.reversed())
    }
    return pages
  }

  /// Visits a page and determines whether it can be trusted.
  /// - Returns: the page's children, which are to be visited next.
  private func visitPage(_ visit: Visit, _ tree: Tree, _ number: Int, _ pages: inout Pages) throws -> [Visit] {
    let page = visit.page
    guard page > 0, image.isUsable(page) else {
      try damage(page, tree, .pointerOutOfRange)
      return []
    }
    guard !use.isOwned(page), readings[Int(page)] < 4 else {
      try damage(page, tree, .usedTwice)
      return []
    }
    readings[Int(page)] += 1
    if readings[Int(page)] == 1 { try tick() }
    guard let content = image.tree(page, into: &bytes) else {
      try damage(page, tree, .malformedPage)
      pages.damaged.append(DamagedPage(page: page, tree: number, range: visit.range))
      return []
    }
    switch (tree.content, content.kind) {
    case (.table, .tableLeaf), (.unknownTable, .tableLeaf), (.foreign, .tableLeaf):
      try visitLeaf(content, visit, tree, number, &pages)
      return []
    case (.table, .tableInterior), (.unknownTable, .tableInterior), (.foreign, .tableInterior):
      return try visitInterior(content, visit, tree, number)
    case (.index, .indexLeaf), (.index, .indexInterior), (.foreign, .indexLeaf), (.foreign, .indexInterior):
      return try visitIndex(content, visit, tree, number, &pages)
    default:
      try damage(page, tree, content.isSound ? .wrongPage : .malformedPage)
      if !content.isSound {
        pages.damaged.append(DamagedPage(page: page, tree: number, range: visit.range))
      }
      return []
    }
  }

  private func visitLeaf(
    _ content: BTreePage, _ visit: Visit, _ tree: Tree, _ number: Int, _ pages: inout Pages
  ) throws {
    let page = visit.page
    let misplaced = BTreePage.outOfOrder(content.cells, in: visit.range)
    var (fitting, broken) = (0, 0)
    var table: RecoveredTableShape?
    if case .table(let index) = tree.content {
      table = tables[index]
      (fitting, broken) = fit(content, tables[index])
    } else {
      // The page may belong to a requested table if pages were swapped.
      let isStray = hasDamage && tables.contains { 2 * fit(content, $0).fitting > content.cells.count }
      if case .foreign = tree.content, isStray { return try damage(page, tree, .wrongPage) }
      fitting = content.cells.count
    }
    let count = content.cells.count
    if content.isSound, misplaced == nil, broken == 0, 2 * fitting >= count {
      use.own(page, number)
      pages.sound.append(page)
      return
    }
    let isInPlace = 2 * (misplaced?.count ?? 0) <= count
    if content.isSound, broken == 0, !isInPlace || 2 * fitting < count {
      // The page may be sound at another position.
      if case .table(let index) = tree.content, hints.count < 1 << 16 { hints[page] = index }
      return try damage(page, tree, 2 * fitting < count ? .wrongPage : .rowidOutOfOrder)
    }
    try damage(page, tree, .malformedPage)
    let isLikely = fitting > 0 && isInPlace || table == nil && isInPlace
    if isLikely { use.own(page, number) }
    pages.damaged.append(DamagedPage(page: page, tree: number, range: visit.range))
  }

  /// Returns the number of cells in a page that match a table, and the number of cells that are not records.
  ///
  /// Only a few of the rows are checked in full.
  private func fit(_ content: BTreePage, _ table: RecoveredTableShape) -> (fitting: Int, broken: Int) {
    var (fitting, broken, checked, passed) = (0, 0, 0, 0)
    for cell in content.cells {
      let range = cell.body..<cell.body + cell.local
      switch Record.header(bytes, range, payload: cell.payload, into: &serials) {
      case .broken: broken += 1
      case .cut: fitting += 1
      case .sound(let size):
        guard table.fits(serials: serials) else { continue }
        fitting += 1
        if table.check != nil, checked < 4 {
          var values = Record.values(
            bytes, from: cell.body + size, to: range.upperBound, serials: serials, image.encoding)
          // The last value may continue in an overflow page.
          if cell.overflow != 0 { _ = values.popLast() }
          guard !values.isEmpty else { continue }
          checked += 1
          if cell.overflow == 0 ? table.row(values, rowid: cell.rowid) != nil : table.mayBegin(with: values) {
            passed += 1
          }
        }
      }
    }
    return (checked > 0 && passed == 0 ? 0 : fitting, broken)
  }

  private func visitInterior(_ content: BTreePage, _ visit: Visit, _ tree: Tree, _ number: Int) throws -> [Visit] {
    let misplaced = BTreePage.outOfOrder(content.cells, in: visit.range)
    if content.isSound, let misplaced, 2 * misplaced.count > content.cells.count {
      // The page's own keys ascend, so it belongs at another position.
      try damage(visit.page, tree, .rowidOutOfOrder)
      return []
    }
    if !content.isSound || misplaced != nil {
      try damage(visit.page, tree, .malformedPage)
      if content.cells.isEmpty, !image.isUsable(content.rightChild) { return [] }
    }
    use.own(visit.page, number)
    guard visit.depth < Self.maximumDepth else {
      try damage(visit.page, tree, .tooDeep)
      return []
    }
    var children: [Visit] = []
    var low = visit.range.lowerBound
    for (index, cell) in content.cells.enumerated() {
      if misplaced?.contains(index) == true {
        // The key of the child is wrong, but the child's own content shows where it belongs.
        children.append(Visit(page: cell.child, range: visit.range, depth: visit.depth + 1))
        continue
      }
      if low <= cell.rowid {
        children.append(Visit(page: cell.child, range: low...cell.rowid, depth: visit.depth + 1))
      }
      low = cell.rowid == .max ? .max : cell.rowid + 1
    }
    if low <= visit.range.upperBound {
      children.append(
        Visit(page: content.rightChild, range: low...visit.range.upperBound, depth: visit.depth + 1))
    }
    return children
  }

  private func visitIndex(
    _ content: BTreePage, _ visit: Visit, _ tree: Tree, _ number: Int, _ pages: inout Pages
  ) throws -> [Visit] {
    if case .index(let index) = tree.content {
      let fitting = content.cells.count { cell in
        let range = cell.body..<cell.body + cell.local
        switch Record.header(bytes, range, payload: cell.payload, into: &serials) {
        case .sound: return indexes[index].fits(serials: serials)
        case .cut: return true
        case .broken: return false
        }
      }
      if 2 * fitting < content.cells.count {
        try damage(visit.page, tree, content.isSound ? .wrongPage : .malformedPage)
        return []
      }
    }
    if !content.isSound {
      try damage(visit.page, tree, .malformedPage)
      if content.cells.isEmpty { return [] }
      pages.damaged.append(DamagedPage(page: visit.page, tree: number, range: visit.range))
    } else {
      pages.sound.append(visit.page)
    }
    use.own(visit.page, number)
    guard content.kind.isInterior else { return [] }
    guard visit.depth < Self.maximumDepth else {
      try damage(visit.page, tree, .tooDeep)
      return []
    }
    return (content.cells.map(\.child) + [content.rightChild]).map {
      Visit(page: $0, range: visit.range, depth: visit.depth + 1)
    }
  }

  private func damage(_ page: UInt32, _ tree: Tree, _ reason: RecoveryDamage.Reason) throws {
    switch tree.content {
    case .table, .index: hasDamage = true
    case .foreign, .unknownTable: break
    }
    try report(RecoveryDamage(page: page, name: tree.name, reason: reason, rowid: nil, values: []))
  }
}
