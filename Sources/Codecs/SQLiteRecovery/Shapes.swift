/// A column of a table and its possible values.
package struct ColumnShape: Sendable {
  /// The possible storage classes of its values. NULL is one of them.
  package let classes: StorageClasses
  /// Whether it is the INTEGER PRIMARY KEY: SQLite stores NULL there, and the value is the rowid.
  package let isRowid: Bool
  /// Whether its affinity is REAL. SQLite stores whole numbers in it as integers, which are converted back to reals.
  package let isReal: Bool

  /// Creates a column.
  package init(_ classes: StorageClasses, isRowid: Bool = false, isReal: Bool = false) {
    self.classes = classes
    self.isRowid = isRowid
    self.isReal = isReal
  }

  /// The storage classes that may occur in the record.
  var stored: StorageClasses {
    if isRowid { return .null }
    return isReal && classes.contains(.real) ? classes.union(.integer) : classes
  }
}

/// The known properties of a table, which decide whether a row can belong to it.
package struct RecoveredTableShape: Sendable {
  /// Its name, which is reported with its rows.
  package let name: String
  /// The first page of its tree; nil to look it up in the schema.
  package let root: UInt32?
  /// The columns in the order of the records.
  package let columns: [ColumnShape]
  /// The fewest columns that a row has: rows from before `ALTER TABLE ADD COLUMN` are shorter than the table.
  package let minimumColumns: Int
  /// Whether these can be the values of a row, in addition to their classes. In damaged pages only this check
  /// distinguishes a row from the bytes of other rows, so it should require valid text without NUL, and the known form
  /// of IDs and dates. It is called after everything else matched, with as many values as the row has, or only the
  /// first ones. It is not called for rows of a sound tree.
  package let check: (@Sendable ([RecoveredValue]) -> Bool)?

  /// Creates a table.
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

  /// Returns whether records of `count` columns can be rows.
  func holds(columns count: Int) -> Bool { count >= minimumColumns && count <= columns.count && count > 0 }

  /// Returns whether the serial types of a record match a row.
  func fits(serials: [Int]) -> Bool {
    guard holds(columns: serials.count) else { return false }
    for (column, serial) in zip(columns, serials) where !column.stored.contains(Record.storageClass(serial)) {
      return false
    }
    return true
  }

  /// Returns whether these can be the first values of a row.
  func mayBegin(with values: [RecoveredValue]) -> Bool {
    guard values.count <= columns.count, zip(columns, values).allSatisfy({ $0.stored.contains($1.storageClass) }) else {
      return false
    }
    return check?(values) ?? true
  }

  /// Returns the values of a row, after inserting the rowid and converting reals.
  /// - Parameter isTrusted: whether the values come from the table's own tree, so that unusual ones are accepted.
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

/// The known properties of an index on a table with rowids.
package struct IndexShape: Sendable {
  /// The table that it belongs to.
  package let table: String
  /// Its name, which is reported with its entries.
  package let name: String
  /// The first page of its tree; nil to look it up in the schema.
  package let root: UInt32?
  /// The number of its columns. A record has one more value: the rowid.
  package let keyCount: Int
  /// Whether these can be the values of an entry.
  package let check: (@Sendable ([RecoveredValue]) -> Bool)?

  /// Creates an index.
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

  /// Returns whether the serial types of a record match an entry.
  func fits(serials: [Int]) -> Bool {
    guard serials.count == keyCount + 1, let last = serials.last else { return false }
    return Record.storageClass(last) == .integer
  }

  /// Returns the key and the rowid of an entry; nil if the values cannot be an entry of this index.
  func entry(_ values: [RecoveredValue]) -> (keys: [RecoveredValue], rowid: Int64)? {
    guard values.count == keyCount + 1, case .integer(let rowid)? = values.last else { return nil }
    let keys = Array(values.dropLast())
    if let check, !check(keys) { return nil }
    return (keys, rowid)
  }
}
