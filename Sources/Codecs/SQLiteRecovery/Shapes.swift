/// A column of a table: what its values can be.
package struct ColumnShape: Sendable {
  /// The storage classes that its values may have. NULL is one of them.
  package let classes: StorageClasses
  /// Whether it is the INTEGER PRIMARY KEY: SQLite stores NULL there, and the value is the rowid.
  package let isRowid: Bool
  /// Whether its affinity is REAL: SQLite stores whole numbers as integers there, which become reals again.
  package let isReal: Bool

  /// Describes a column.
  package init(_ classes: StorageClasses, isRowid: Bool = false, isReal: Bool = false) {
    self.classes = classes
    self.isRowid = isRowid
    self.isReal = isReal
  }

  /// What the record may hold, as a set of storage classes.
  var stored: StorageClasses {
    if isRowid { return .null }
    return isReal && classes.contains(.real) ? classes.union(.integer) : classes
  }
}

/// What is known of a table: which rows can be its rows.
package struct TableShape: Sendable {
  /// Its name, which rows are handed out with.
  package let name: String
  /// The first page of its tree; nil to ask the schema.
  package let root: UInt32?
  /// In the order of the records.
  package let columns: [ColumnShape]
  /// The fewest columns that a row has: rows from before `ALTER TABLE ADD COLUMN` are shorter than the table.
  package let minimumColumns: Int
  /// Whether these can be the values of a row, besides their classes. Bytes of other rows are told from a row by this
  /// alone where a page is damaged: demand valid text without NUL, and what is known of IDs and dates. It is asked after all else fits, with as many values as the row has, or the first ones, and not for rows of a sound tree.
  package let check: (@Sendable ([RecoveredValue]) -> Bool)?

  /// Describes a table.
  /// - Parameter minimumColumns: as many as there are columns if nil.
  package init(
    name: String, root: UInt32?, columns: [ColumnShape], minimumColumns: Int? = nil,
    check: (@Sendable ([RecoveredValue]) -> Bool)? = nil
  ) {
    self.name = name
    self.root = root
    self.columns = columns
    self.minimumColumns = minimumColumns ?? columns.count
    self.check = check
  }

  /// Whether records of `count` columns can be rows.
  func holds(columns count: Int) -> Bool { count >= minimumColumns && count <= columns.count && count > 0 }

  /// Whether the serial types of a record can be those of a row.
  func fits(serials: [Int]) -> Bool {
    guard holds(columns: serials.count) else { return false }
    for (column, serial) in zip(columns, serials) where !column.stored.contains(Record.storageClass(serial)) {
      return false
    }
    return true
  }

  /// Whether these can be the first values of a row.
  func mayBegin(with values: [RecoveredValue]) -> Bool {
    guard values.count <= columns.count, zip(columns, values).allSatisfy({ $0.stored.contains($1.storageClass) }) else {
      return false
    }
    return check?(values) ?? true
  }

  /// The values of a row: the rowid and reals are put in their places.
  /// - Parameter isTrusted: whether the table's own tree vouches for them, so that they may be odd.
  /// - Returns: nil if they cannot be a row of this table.
  func row(_ values: [RecoveredValue], rowid: Int64, isTrusted: Bool = false) -> [RecoveredValue]? {
    guard holds(columns: values.count) else { return nil }
    var result = values
    for (index, column) in columns.enumerated() where index < values.count {
      guard column.stored.contains(values[index].storageClass) else { return nil }
      if column.isRowid {
        result[index] = .integer(rowid)
      } else if column.isReal, case .integer(let number) = values[index] {
        result[index] = .real(Double(number))
      }
    }
    if !isTrusted, let check, !check(result) { return nil }
    return result
  }
}

/// What is known of an index on a table with rowids.
package struct IndexShape: Sendable {
  /// The table that it belongs to.
  package let table: String
  /// Its name, which entries are handed out with.
  package let name: String
  /// The first page of its tree; nil to ask the schema.
  package let root: UInt32?
  /// How many columns it has. A record has one value more: the rowid.
  package let keyCount: Int
  /// Whether these can be the values of an entry.
  package let check: (@Sendable ([RecoveredValue]) -> Bool)?

  /// Describes an index.
  package init(
    table: String, name: String, root: UInt32?, keyCount: Int,
    check: (@Sendable ([RecoveredValue]) -> Bool)? = nil
  ) {
    self.table = table
    self.name = name
    self.root = root
    self.keyCount = keyCount
    self.check = check
  }

  /// Whether the serial types of a record can be those of an entry.
  func fits(serials: [Int]) -> Bool {
    guard serials.count == keyCount + 1, let last = serials.last else { return false }
    return Record.storageClass(last) == .integer
  }

  /// The key and the rowid of an entry; nil if the values cannot be one of this index.
  func entry(_ values: [RecoveredValue]) -> (keys: [RecoveredValue], rowid: Int64)? {
    guard values.count == keyCount + 1, case .integer(let rowid)? = values.last else { return nil }
    let keys = Array(values.dropLast())
    if let check, !check(keys) { return nil }
    return (keys, rowid)
  }
}
