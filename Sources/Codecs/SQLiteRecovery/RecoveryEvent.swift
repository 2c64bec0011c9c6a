/// An event of a scan. Events are reported in the order in which they are found.
package enum RecoveryEvent: Sendable {
  case row(RecoveredRow)
  case indexEntry(RecoveredIndexEntry)
  case damage(RecoveryDamage)
  /// A table WITHOUT ROWID, whose rows are not read.
  case withoutRowid(table: String)
  /// The number of completed steps out of `total`. A page takes two steps.
  case progress(done: Int, total: Int)
}

/// The place where a row was found, which determines how far the row can be trusted.
package enum RecoveryOrigin: String, Sendable, CaseIterable {
  /// In a sound page that its tree refers to.
  case tree
  /// In a sound page that no tree refers to, or that a tree refers to from a position where the page's rows do not
  /// belong.
  case unreachablePage
  /// In a damaged page.
  case damagedPage
  /// In a free page: the row was deleted, or moved to another page.
  case freelist
  /// In a version of a page that was never committed: in the log after the last commit, or in a page of the file that
  /// a journal reverts.
  case uncommitted
  /// In an older version of a page whose current version is unreadable.
  case olderVersion
}

/// A row of a table.
package struct RecoveredRow: Equatable, Sendable {
  /// The table that owns the page, or the only table to which the page's rows can belong.
  package let table: String
  /// The rowid, by which other rows and indexes refer to the row.
  package let rowid: Int64
  /// The values of the record. There are fewer values than columns if the row is older than the last columns.
  package let values: [RecoveredValue]
  /// The page that contains the cell.
  package let page: UInt32
  /// The place where the row was found, which determines how far it can be trusted.
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
  /// The index, or every index to which the entry may belong if no tree refers to its page.
  package let indexes: [String]
  /// The values of the index's columns.
  package let keys: [RecoveredValue]
  /// The rowid of the row that the entry refers to.
  package let rowid: Int64
  /// The page that contains the cell.
  package let page: UInt32
  /// The place where the entry was found, which determines how far it can be trusted.
  package let origin: RecoveryOrigin
}

/// A damaged part of the database.
package struct RecoveryDamage: Equatable, Sendable {
  /// The kind of damage.
  package enum Reason: String, Sendable, CaseIterable {
    /// The page is not a sound b-tree page, or only a part of it can be read.
    case malformedPage
    /// The page does not belong to the tree that refers to it.
    case wrongPage
    /// A tree refers to the page a second time.
    case usedTwice
    /// The page number is beyond the end of the file, or cannot be a page of a tree.
    case pointerOutOfRange
    /// The tree is deeper than SQLite allows.
    case tooDeep
    /// The cell or its record is invalid.
    case brokenCell
    /// A page number in the row's overflow chain is out of range.
    case overflowOutOfRange
    /// One of the row's overflow pages has another use, or occurs twice.
    case overflowUsedTwice
    /// The row's overflow pages end too early.
    case overflowTooShort
    /// The row's overflow pages continue after the end of the row.
    case overflowTooLong
    /// The rowids do not ascend, or are not between the rowids in the parent page.
    case rowidOutOfOrder
    /// The record cannot be a row of its table, or an entry of its index.
    case doesNotFit
    /// The row may belong to several tables.
    case ambiguous
    /// The list of free pages is broken at this page.
    case freelistBroken
    /// The page has no use.
    case neverUsed
  }

  /// The damaged page, or the wrong page number.
  package let page: UInt32
  /// The table or index, if it is known.
  package let name: String?
  /// The kind of damage.
  package let reason: Reason
  /// The rowid of the row, if it is known.
  package let rowid: Int64?
  /// The first values of the row as the record stores them. The last value may be the beginning of a longer text. The
  /// row's key is often among these values.
  package let values: [RecoveredValue]
}
