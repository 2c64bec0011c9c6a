/// The events of a scan, in the order in which they are found.
package enum RecoveryEvent: Sendable {
  case row(RecoveredRow)
  case indexEntry(RecoveredIndexEntry)
  case damage(RecoveryDamage)
  /// A table WITHOUT ROWID, whose rows are not read.
  case withoutRowid(table: String)
  /// The number of steps that are done, of `total`. A page takes two.
  case progress(done: Int, total: Int)
}

/// Where a row was found, which decides how far it can be trusted.
package enum RecoveryOrigin: String, Sendable, CaseIterable {
  /// In a sound page that its tree refers to.
  case tree
  /// In a sound page that no tree refers to, or that a tree refers to in a place where its rows do not belong.
  case unreachablePage
  /// In a damaged page.
  case damagedPage
  /// In a free page: the row was deleted, or moved to another page.
  case freelist
  /// In a version of a page that was never committed: in the log after the last commit, or in a page of the file that
  /// a journal reverts.
  case uncommitted
  /// In an older version of a page with an unreadable current version.
  case olderVersion
}

/// A row of a table.
package struct RecoveredRow: Equatable, Sendable {
  /// The table that owns the page, or the only table that the page's rows can belong to.
  package let table: String
  /// Its rowid, by which the table's other rows and its indexes refer to it.
  package let rowid: Int64
  /// As many values as the record has: fewer than the table has columns if the row is older than the last columns.
  package let values: [RecoveredValue]
  /// The page of its cell.
  package let page: UInt32
  /// How far it can be trusted.
  package let origin: RecoveryOrigin

  /// Creates a row.
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
  /// The index, or every index that it may belong to if no tree refers to its page.
  package let indexes: [String]
  /// The values of the index's columns.
  package let keys: [RecoveredValue]
  /// The row that it refers to.
  package let rowid: Int64
  /// The page of its cell.
  package let page: UInt32
  /// How far it can be trusted.
  package let origin: RecoveryOrigin
}

/// A damaged part of the database.
package struct RecoveryDamage: Equatable, Sendable {
  /// The kind of damage.
  package enum Reason: String, Sendable, CaseIterable {
    /// The page is not a sound page of a b-tree, or only a part of it is.
    case malformedPage
    /// The page belongs to something other than the tree that refers to it.
    case wrongPage
    /// A tree refers to the page a second time.
    case usedTwice
    /// The page number is beyond the end of the file, or cannot be a page of a tree.
    case pointerOutOfRange
    /// The tree is deeper than any tree of SQLite.
    case tooDeep
    /// The cell or its record is invalid.
    case brokenCell
    /// The row's overflow pages: a page number out of range.
    case overflowOutOfRange
    /// The row's overflow pages: a page that something else also uses, or that occurs twice.
    case overflowUsedTwice
    /// The row's overflow pages end too early.
    case overflowTooShort
    /// The row's overflow pages continue after the end of the row.
    case overflowTooLong
    /// Rowids do not ascend, or are not between those in the parent page.
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
  /// The kind of damage.
  package let reason: Reason
  /// The row, if known.
  package let rowid: Int64?
  /// The first values of the row, as the record stores them; the last one may be the beginning of a longer text. The
  /// row's key is often among them.
  package let values: [RecoveredValue]
}
