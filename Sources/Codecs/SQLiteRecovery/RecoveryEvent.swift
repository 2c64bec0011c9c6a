/// What a scan finds, in the order in which it finds it.
package enum RecoveryEvent: Sendable {
  case row(RecoveredRow)
  case indexEntry(RecoveredIndexEntry)
  case damage(RecoveryDamage)
  /// A table WITHOUT ROWID, whose rows are not read.
  case withoutRowid(table: String)
  /// How many of `total` steps are done. A page takes two.
  case progress(done: Int, total: Int)
}

/// Where a row was found, which decides how far it can be trusted.
package enum RecoveryOrigin: String, Sendable, CaseIterable {
  /// In a sound page that its tree names.
  case tree
  /// In a sound page that no tree names, or that a tree names in a place where its rows do not belong.
  case unreachablePage
  /// In a page that is damaged.
  case damagedPage
  /// In a page that is free: the row was deleted, or moved to another page.
  case freelist
  /// In a version of a page that was never committed: in the log behind the last commit, or in the file under the pages
  /// that a journal brings back.
  case uncommitted
  /// In an older version of a page whose current one cannot be read.
  case olderVersion
}

/// A row of a table.
package struct RecoveredRow: Equatable, Sendable {
  /// The table whose tree has the page, or whose rows those of the page can only be.
  package let table: String
  /// Its rowid: what the table's other rows and its indexes know it by.
  package let rowid: Int64
  /// As many as the record has: fewer than the table has columns if the row is older than the last ones.
  package let values: [RecoveredValue]
  /// The page of its cell.
  package let page: UInt32
  /// How far it can be trusted.
  package let origin: RecoveryOrigin

  /// Makes a row.
  package init(table: String, rowid: Int64, values: [RecoveredValue], page: UInt32, origin: RecoveryOrigin) {
    self.table = table
    self.rowid = rowid
    self.values = values
    self.page = page
    self.origin = origin
  }
}

/// An entry of an index.
package struct RecoveredIndexEntry: Equatable, Sendable {
  /// The index, or every index that it may belong to when no tree names its page.
  package let indexes: [String]
  /// The values of the index's columns.
  package let keys: [RecoveredValue]
  /// The row that it leads to.
  package let rowid: Int64
  /// The page of its cell.
  package let page: UInt32
  /// How far it can be trusted.
  package let origin: RecoveryOrigin
}

/// Something that is broken.
package struct RecoveryDamage: Equatable, Sendable {
  /// What is wrong.
  package enum Reason: String, Sendable, CaseIterable {
    /// The page is not a sound page of a b-tree, or only a part of it is.
    case malformedPage
    /// The page belongs to something else than the tree that names it.
    case wrongPage
    /// A tree names the page a second time.
    case usedTwice
    /// A page number that the file does not have, or that cannot be a page of a tree.
    case pointerOutOfRange
    /// The tree is deeper than SQLite's can be.
    case tooDeep
    /// The cell or its record makes no sense.
    case brokenCell
    /// The row's overflow pages: a page number out of range.
    case overflowOutOfRange
    /// The row's overflow pages: a page that something else uses, too, or that comes twice.
    case overflowUsedTwice
    /// The row's overflow pages end too early.
    case overflowTooShort
    /// The row's overflow pages go on behind the end of the row.
    case overflowTooLong
    /// Rowids do not ascend, or are not between those that the parent names.
    case rowidOutOfOrder
    /// The record cannot be a row of its table, or an entry of its index.
    case doesNotFit
    /// Several tables can have this row.
    case ambiguous
    /// The list of free pages is broken from this page on.
    case freelistBroken
    /// Nothing uses the page.
    case neverUsed
  }

  /// The page, or the page number that is wrong.
  package let page: UInt32
  /// The table or the index, if known.
  package let name: String?
  /// What is wrong.
  package let reason: Reason
  /// The row, if known.
  package let rowid: Int64?
  /// The first values of the row, as the record stores them; the last one may be the beginning of a longer text. The row's
  /// key is often among them.
  package let values: [RecoveredValue]
}
