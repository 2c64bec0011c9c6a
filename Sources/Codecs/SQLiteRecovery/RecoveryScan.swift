/// Reads every row and index entry that a damaged database still contains.
///
/// The scan reads sound trees first. Damaged tree pages, pages that no tree refers to, free pages, and versions of
/// pages that are not current follow in this order. A row may be reported several times, from different pages. A row is
/// reported only if its whole record is present: bytes of one row never become part of another row.
///
/// The scan reads each page a few times, so its time is proportional to the size of the files. Memory holds a few bytes
/// for each page, and one row.
package struct RecoveryScan {
  private let image: DatabaseImage
  private let tables: [RecoveredTableShape]
  private let indexes: [IndexShape]

  /// Prepares a scan.
  ///
  /// If a shape has no root, the root is looked up in the schema as far as the schema can be read. Tables and indexes
  /// in the schema that are not among the given shapes are walked too, so that their pages are not assigned to other
  /// tables, but their rows are not reported.
  package init(
    _ image: DatabaseImage, tables: [RecoveredTableShape], indexes: [IndexShape] = []
  ) {
    self.image = image
    self.tables = tables
    self.indexes = indexes
  }

  /// Scans the database.
  /// - Parameter receive: called for every event. An error that it throws ends the scan.
  /// - Throws: only the errors that `receive` throws.
  package func run(_ receive: (RecoveryEvent) throws -> Void) throws {
    let schema = image.schemaRows().rows
    try withoutActuallyEscaping(receive) { receive in
      let scanner = Scanner(image, [Self.schemaShape] + tables, indexes, silent: [0], receive)
      try scanner.walkTrees(schema)
      try scanner.readTrees()
      try scanner.readRest()
      try scanner.readFreePages()
      try scanner.readOtherVersions()
      try scanner.finish()
    }
  }

  /// Scans only for schema rows. Pages outside the schema's tree are read only if this tree is damaged.
  static func schema(_ image: DatabaseImage, _ receive: @escaping (RecoveryEvent) throws -> Void) throws {
    let scanner = Scanner(image, [schemaShape], [], silent: [], receive)
    try scanner.walkTrees([])
    try scanner.readTrees()
    if scanner.hasDamage { try scanner.readRest() }
  }

  /// - Source: https://sqlite.org/fileformat2.html, section 2.6
  private static let schemaShape = RecoveredTableShape(
    name: "sqlite_schema", root: 1,
    columns: [
      ColumnShape(.text), ColumnShape(.text), ColumnShape(.text), ColumnShape([.integer, .null]),
      ColumnShape([.text, .null]),
    ]
  ) { values in
    guard values.count == 5, case .text(let type) = values[0], case .text(let name) = values[1], !name.isEmpty else {
      return false
    }
    guard ["table", "index", "view", "trigger"].contains(String(decoding: type, as: UTF8.self)) else { return false }
    if case .text(let sql) = values[4] {
      return String(decoding: sql.prefix(6), as: UTF8.self).uppercased() == "CREATE"
    }
    return true
  }
}

/// The state of a running scan.
private final class Scanner {
  private let image: DatabaseImage
  private let tables: [RecoveredTableShape]
  private let indexes: [IndexShape]
  private let receive: (RecoveryEvent) throws -> Void
  private let use: PageUse
  private let rows: RowReader
  private let progress: Progress
  private let walk: TreeWalk
  /// The pages of each tree, indexed by the tree's number.
  private var pages: [TreeWalk.Pages] = []

  /// Counts pages and reports progress from time to time.
  private final class Progress {
    private var done = 0
    private let total: Int
    private let receive: (RecoveryEvent) throws -> Void

    init(_ total: Int, _ receive: @escaping (RecoveryEvent) throws -> Void) {
      self.total = total
      self.receive = receive
    }

    func tick() throws {
      done += 1
      if done % 256 == 0 { try receive(.progress(done: min(done, total), total: total)) }
    }

    func finish() throws { try receive(.progress(done: total, total: total)) }
  }

  init(
    _ image: DatabaseImage, _ tables: [RecoveredTableShape], _ indexes: [IndexShape], silent: Set<Int>,
    _ receive: @escaping (RecoveryEvent) throws -> Void
  ) {
    self.image = image
    self.tables = tables
    self.indexes = indexes
    self.receive = receive
    use = PageUse(image)
    rows = RowReader(use, tables, indexes, silent: silent, receive)
    let progress = Progress(2 * image.pageCount, receive)
    self.progress = progress
    walk = TreeWalk(
      use, tables, indexes, report: { try receive(.damage($0)) }, tick: { try progress.tick() })
  }

  var hasDamage: Bool { walk.hasDamage }

  // MARK: Trees

  /// Walks all trees, claims the overflow pages of their rows, and marks the free pages.
  fileprivate func walkTrees(_ schema: [SchemaRow]) throws {
    guard image.pageCount > 0 else { return }
    var known: Set<UInt32> = []
    let foreign = Dictionary(schema.filter(\.isWithoutRowid).map { ($0.rootPage, $0.name) }) { first, _ in first }
    let roots = Dictionary(
      schema.filter { $0.rootPage > 0 }.map { ([$0.type, $0.name], $0.rootPage) },
      uniquingKeysWith: { first, _ in first })
    for (number, table) in tables.enumerated() {
      guard let root = table.root ?? roots[["table", table.name]] else { continue }
      known.insert(root)
      if let name = foreign[root] {
        try receive(.withoutRowid(table: name))
        pages.append(try walk.walk(TreeWalk.Tree(name: name, content: .foreign), from: root))
      } else {
        pages.append(try walk.walk(TreeWalk.Tree(name: table.name, content: .table(number)), from: root))
      }
    }
    for (number, index) in indexes.enumerated() {
      guard let root = index.root ?? roots[["index", index.name]] else { continue }
      known.insert(root)
      pages.append(try walk.walk(TreeWalk.Tree(name: index.name, content: .index(number)), from: root))
    }
    for row in schema where row.rootPage > 0 && known.insert(row.rootPage).inserted {
      if row.isWithoutRowid { try receive(.withoutRowid(table: row.name)) }
      pages.append(try walk.walk(TreeWalk.Tree(name: row.name, content: .foreign), from: row.rootPage))
    }
    for tree in pages {
      for page in tree.sound { rows.claimChains(page, .tree) }
    }
    if let page = Freelist.mark(image, use) {
      try receive(.damage(RecoveryDamage(page: page, name: nil, reason: .freelistBroken, rowid: nil, values: [])))
    }
  }

  /// Reports the rows in the sound pages of all trees.
  fileprivate func readTrees() throws {
    for (number, tree) in pages.enumerated() {
      for page in tree.sound {
        try progress.tick()
        switch walk.trees[number].content {
        case .table(let table): try rows.readLeaf(page, table, .tree, .tree)
        case .index(let index): try rows.readIndexPage(page, index, .tree, .tree)
        case .foreign, .unknownTable: break
        }
      }
    }
  }

  // MARK: The rest

  /// The pages that no tree refers to.
  private struct Strays {
    var interiors: [UInt32] = []
    var leaves: [UInt32] = []
    var indexPages: [UInt32] = []
    /// The pages that are not sound but may belong to a tree.
    var damaged: [UInt32] = []
  }

  /// Reports the rows in damaged tree pages and in pages that no tree refers to.
  fileprivate func readRest() throws {
    var damaged: [TreeWalk.DamagedPage] = []
    for page in pages.flatMap(\.damaged) {
      // The tree may have referred to the page by mistake, and the page may be of another kind.
      if use.owner(of: page.page) ?? page.tree != page.tree || use.isOverflow(page.page) { continue }
      if !use.isOwned(page.page) { use.own(page.page, page.tree) }
      damaged.append(page)
    }
    var strays = try findStrays()
    var groups = try walkStrays(strays.interiors)
    strays.leaves.removeAll { use.isOwned($0) }
    strays.damaged.removeAll { use.isOwned($0) }
    for page in damaged { rows.claimChains(page.page, .other) }
    for group in groups {
      for page in group.sound { rows.claimChains(page, .other) }
      for page in group.damaged { rows.claimChains(page.page, .other) }
    }
    for page in strays.leaves + strays.indexPages { rows.claimChains(page, .other) }
    // A page that belongs to a complete row's chain is not a damaged tree page.
    strays.damaged.removeAll { use.isOverflow($0) }

    for page in damaged {
      switch walk.trees[page.tree].content {
      case .table(let table): try rows.readDamagedLeaf(page.page, table, page.range)
      case .index(let index): try rows.readIndexPage(page.page, index, .damagedPage, .other)
      case .foreign, .unknownTable: break
      }
    }
    for index in groups.indices {
      let group = groups[index]
      let table = rows.table(of: group.sound.prefix(16), .other)
      for page in group.sound {
        try progress.tick()
        try rows.readStrayLeaf(page, hint: table, .unreachablePage, .claimed(.other))
      }
      for page in group.damaged { try rows.readDamagedLeaf(page.page, table, page.range) }
      groups[index] = TreeWalk.Pages()
    }
    for page in strays.leaves {
      try progress.tick()
      try rows.readStrayLeaf(page, hint: walk.hints[page], .unreachablePage, .claimed(.other))
    }
    for page in strays.indexPages {
      try progress.tick()
      try rows.readIndexPage(page, nil, .unreachablePage, .other)
    }
    for page in strays.damaged { try rows.readDamagedLeaf(page, walk.hints[page], .min ... .max) }
  }

  private func findStrays() throws -> Strays {
    var strays = Strays()
    var bytes: [UInt8] = []
    guard image.pageCount > 0 else { return strays }
    for page in 1...UInt32(image.pageCount) {
      guard !use.isOwned(page), !use.isOverflow(page), !use.isFree(page), image.isUsable(page) else { continue }
      try receive(.damage(RecoveryDamage(page: page, name: nil, reason: .neverUsed, rowid: nil, values: [])))
      guard let content = image.tree(page, into: &bytes) else {
        if bytes.contains(where: { $0 != 0 }) { strays.damaged.append(page) }
        continue
      }
      switch content.kind {
      case .tableInterior where !content.cells.isEmpty: strays.interiors.append(page)
      case .tableLeaf where content.isSound: strays.leaves.append(page)
      case .indexLeaf where !content.cells.isEmpty, .indexInterior where !content.cells.isEmpty:
        strays.indexPages.append(page)
      default: strays.damaged.append(page)
      }
    }
    return strays
  }

  /// Walks the trees below interior pages that no tree refers to, beginning with pages that no other interior page
  /// refers to.
  private func walkStrays(_ interiors: [UInt32]) throws -> [TreeWalk.Pages] {
    var named = PageSet(pageCount: image.pageCount)
    var bytes: [UInt8] = []
    for page in interiors {
      guard let content = image.tree(page, into: &bytes) else { continue }
      for cell in content.cells where cell.child != page { named.insert(cell.child) }
      if content.rightChild != page { named.insert(content.rightChild) }
    }
    var groups: [TreeWalk.Pages] = []
    // Pages that only refer to each other in a circle come last.
    for page in interiors.filter({ !named.contains($0) }) + interiors where !use.isOwned(page) {
      let found = try walk.walk(TreeWalk.Tree(name: nil, content: .unknownTable), from: page)
      groups.append(
        TreeWalk.Pages(
          sound: found.sound, damaged: found.damaged.filter { !use.isOverflow($0.page) && !use.isFree($0.page) }))
    }
    return groups
  }

  // MARK: Free pages and other versions

  /// Reports the rows that free pages still contain.
  fileprivate func readFreePages() throws {
    guard image.pageCount > 0 else { return }
    for page in 1...UInt32(image.pageCount) where use.hasOldContent(page) {
      try progress.tick()
      try rows.readStrayLeaf(page, hint: nil, .freelist, .free, isStrict: true)
    }
  }

  /// Reports the rows in versions of pages that are not current.
  fileprivate func readOtherVersions() throws {
    try image.uncommittedVersions { version in
      try rows.readStrayLeaf(
        version.page, version.view, hint: table(of: version.page), .uncommitted, .version(version.view), isStrict: true)
    }
    var bytes: [UInt8] = []
    for page in image.pagesWithOlderVersions where !use.isOverflow(page) && !use.isFree(page) {
      if image.tree(page, into: &bytes)?.isSound == true { continue }
      for version in image.olderVersions(of: page) {
        guard let content = image.tree(page, version.view, into: &bytes), content.isSound else { continue }
        try rows.readStrayLeaf(
          page, version.view, hint: table(of: page), .olderVersion, .version(version.view), isStrict: true)
        break
      }
    }
  }

  /// Returns the table that owns a page.
  private func table(of page: UInt32) -> Int? {
    guard let tree = use.owner(of: page), tree < walk.trees.count, case .table(let table) = walk.trees[tree].content
    else { return nil }
    return table
  }

  func finish() throws { try progress.finish() }
}
