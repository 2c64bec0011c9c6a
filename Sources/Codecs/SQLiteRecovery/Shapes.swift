/// A column of a table and its possible values.
package struct ColumnShape: Sendable {
  /// The possible storage classes of the column's values. NULL is one of these classes.
  package let classes: StorageClasses
  /// Whether the column is the INTEGER PRIMARY KEY, for which SQLite stores NULL. The value is the rowid.
  package let isRowid: Bool
  /// Whether the column has REAL affinity. SQLite stores whole numbers in such a column as integers, which are
  /// converted back to reals.
  package let isReal: Bool

  /// Creates a column.
  package init(_ classes: StorageClasses, isRowid: Bool = false, isReal: Bool = false) {
    self.classes = classes
    self.isRowid = isRowid
    self.isReal = isReal
  }

  /// The storage classes that may occur in the record for this column.
  var stored: StorageClasses {
    if isRowid { return .null }
    return isReal && classes.contains(.real) ? classes.union(.integer) : classes
  }
}

/// The known properties of a table, which determine whether a row can belong to the table.
package struct RecoveredTableShape: Sendable {
  /// The table's name, which is reported with its rows.
  package let name: String
  /// The root page of the tree; nil to look it up in the schema.
  package let root: UInt32?
  /// The columns, in the order of the values in records.
  package let columns: [ColumnShape]
  /// The smallest number of values in a row. Rows that are older than an `ALTER TABLE ADD COLUMN` have fewer values
  /// than the table has columns.
  package let minimumColumns: Int
  /// Returns whether the given values, whose storage classes match, can be the values of a row. In damaged pages, only
  /// this check distinguishes a row from bytes of other rows, so it should require valid text without NUL and the known
  /// form of ids and dates. It is called after all other checks have succeeded, with all values of the row or only the
  /// first ones. It is not called for rows in a sound tree.
  package let check: (@Sendable ([RecoveredValue]) -> Bool)?

  /// Creates a table.
  /// - Parameter minimumColumns: the smallest number of values in a row; nil means the number of columns.
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

  /// Returns whether a record with `count` values can be a row.
  func holds(columns count: Int) -> Bool { count >= minimumColumns && count <= columns.count && count > 0 }

  /// Returns whether the serial types of a record match a row.
  func fits(serials: [Int]) -> Bool {
    guard holds(columns: serials.count) else { return false }
    for (column, serial) in zip(columns, serials) where !column.stored.contains(Record.storageClass(serial)) {
      return false
    }
    return true
  }

  /// Returns whether the given values can be the first values of a row.
  func mayBegin(with values: [RecoveredValue]) -> Bool {
    guard values.count <= columns.count, zip(columns, values).allSatisfy({ $0.stored.contains($1.storageClass) }) else {
      return false
    }
    return check?(values) ?? true
  }

  /// Returns the values of a row with the rowid inserted and reals converted.
  /// - Parameter isTrusted: whether the values come from the table's own tree, so that unusual values are accepted.
  /// - Returns: the values, or nil if they cannot be a row of this table.
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
  /// The table to which the index belongs.
  package let table: String
  /// The index's name, which is reported with its entries.
  package let name: String
  /// The root page of the tree; nil to look it up in the schema.
  package let root: UInt32?
  /// The number of columns. A record has one more value, which is the rowid.
  package let keyCount: Int
  /// Returns whether the given values can be the values of an entry.
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

  /// Returns the keys and the rowid of an entry, or nil if the values cannot be an entry of this index.
  func entry(_ values: [RecoveredValue]) -> (keys: [RecoveredValue], rowid: Int64)? {
    guard values.count == keyCount + 1, case .integer(let rowid)? = values.last else { return nil }
    let keys = Array(values.dropLast())
    if let check, !check(keys) { return nil }
    return (keys, rowid)
  }
}

/// A row of the schema: a table, an index, a view or a trigger.
package struct SchemaRow: Equatable, Sendable {
  /// `table`, `index`, `view` or `trigger`.
  package let type: String
  /// The object's own name.
  package let name: String
  /// The name of the table, or of the table to which the object belongs.
  package let tableName: String
  /// The root page of the object's tree; 0 if it has none.
  package let rootPage: UInt32
  /// The object's SQL statement; nil for objects that SQLite creates implicitly.
  package let sql: String?
  /// The page in which the row was found.
  package let page: UInt32
  /// The place where the row was found, which determines how far it can be trusted.
  package let origin: RecoveryOrigin

  /// Whether the object is a table WITHOUT ROWID, which is stored like an index.
  package var isWithoutRowid: Bool {
    guard type == "table", let sql, let end = sql.lastIndex(of: ")") else { return false }
    let words = sql[end...].dropFirst().uppercased().split { " \t\n\r,;".contains($0) }
    return zip(words, words.dropFirst()).contains { $0 == "WITHOUT" && $1 == "ROWID" }
  }

  init?(_ row: RecoveredRow) {
    guard row.values.count == 5, case .text(let type) = row.values[0], case .text(let name) = row.values[1],
      case .text(let table) = row.values[2]
    else { return nil }
    self.type = String(decoding: type, as: UTF8.self)
    self.name = String(decoding: name, as: UTF8.self)
    tableName = String(decoding: table, as: UTF8.self)
    if case .integer(let root) = row.values[3] { rootPage = UInt32(exactly: root) ?? 0 } else { rootPage = 0 }
    if case .text(let sql) = row.values[4] { self.sql = String(decoding: sql, as: UTF8.self) } else { sql = nil }
    page = row.page
    origin = row.origin
  }
}

extension DatabaseImage {
  /// Reads the schema.
  ///
  /// If the schema's tree is damaged, all pages are searched for its rows. At most 10 000 rows are read.
  /// - Returns: the rows that can be decoded, and whether they are complete, which is false if a page of the tree or a
  ///   row is broken.
  package func schemaRows() -> (rows: [SchemaRow], isComplete: Bool) {
    struct Enough: Error {}
    var rows: [SchemaRow] = []
    var isComplete = pageCount > 0
    do {
      try RecoveryScan.schema(self) { event in
        switch event {
        case .row(let row):
          guard rows.count < 10_000 else { throw Enough() }
          if let row = SchemaRow(row) { rows.append(row) }
        case .damage(let damage) where damage.name != nil && damage.reason != .neverUsed: isComplete = false
        default: break
        }
      }
    } catch {
      isComplete = false
    }
    return (rows, isComplete)
  }
}
