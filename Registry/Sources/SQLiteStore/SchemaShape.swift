import GRDB

/// The contents of a database's schema, as SQLite parses it: objects, columns, foreign keys and indexes.
///
/// The SQL strings are not compared, so the spelling of a statement makes no difference. CHECK constraints and the
/// conditions of partial indexes are left out: they can refuse rows, but cannot change or create them.
struct SchemaShape {
  /// One line for each trigger, view, table and index: `trigger 't' of 'users'`.
  private let objects: Set<String>
  /// One line for each property of these objects.
  private let details: Set<String>

  /// Computes the shape of an empty database after some steps of its schema.
  init(after steps: some Sequence<String>) throws {
    let queue = try StoreProfile.inMemory()
    (objects, details) = try queue.writeWithoutTransaction { db in
      for step in steps { try db.execute(sql: step) }
      return (try Self.read(db, [Self.objectQuery]), try Self.read(db, Self.detailQueries))
    }
    try queue.close()
  }

  /// The difference between a database and this shape.
  struct Difference: Equatable {
    /// An element that the database has and this shape does not.
    let added: String?
    /// An element that this shape has and the database does not.
    let missing: String?
  }

  /// Compares the schema of an open database.
  /// - Returns: The first difference by name; nil when there is none.
  func difference(of db: Database) throws -> Difference? {
    // Objects are compared first: to list columns, SQLite starts the modules of all virtual tables.
    try Self.difference(Self.read(db, [Self.objectQuery]), objects)
      ?? Self.difference(Self.read(db, Self.detailQueries), details)
  }

  private static func difference(_ found: Set<String>, _ expected: Set<String>) -> Difference? {
    if found == expected { return nil }
    return Difference(added: found.subtracting(expected).min(), missing: expected.subtracting(found).min())
  }

  private static func read(_ db: Database, _ queries: [String]) throws -> Set<String> {
    var lines: Set<String> = []
    for query in queries {
      // A damaged file may contain NULL anywhere.
      for line in try String?.fetchAll(db, sql: query) { lines.insert(line ?? "unnamed object") }
    }
    return lines
  }

  /// The query for the objects. ANALYZE may have added its own tables, which are ignored.
  private static let objectQuery = """
    SELECT type || ' ''' || name || '''' || iif(tbl_name = name, '', ' of ''' || tbl_name || '''')
    FROM sqlite_schema WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4'))
    """

  private static let tables = """
    (SELECT * FROM pragma_table_list
      WHERE schema = 'main' AND name NOT IN ('sqlite_schema', 'sqlite_stat1', 'sqlite_stat4')) AS t
    """

  private static let detailQueries = [
    // A table is 'virtual', or 'shadow' if it belongs to FTS5.
    """
    SELECT t.type || ' table ''' || t.name || ''' with ' || t.ncol || ' columns' || iif(t.wr, ', without rowid', '')
      || iif(t.strict, ', strict', '')
    FROM \(tables)
    """,
    """
    SELECT 'column ''' || c.name || ''' of ''' || t.name || ''': ' || c.type || ' ' || c."notnull" || ' '
      || ifnull(c.dflt_value, '-') || ' ' || c.pk || ' ' || c.hidden
    FROM \(tables), pragma_table_xinfo(t.name) AS c
    """,
    """
    SELECT 'foreign key of ''' || t.name || ''' to ''' || f."table" || ''': ' || f."from" || ' ' || ifnull(f."to", '-')
      || ' ' || f.on_update || ' ' || f.on_delete
    FROM \(tables), pragma_foreign_key_list(t.name) AS f
    """,
    """
    SELECT 'column ' || x.seqno || ' of the index ''' || i.name || ''': ' || ifnull(x.name, '-') || ' ' || x.cid || ' '
      || x.desc || ' ' || x.coll || ' ' || x.key || ' ' || i."unique" || ' ' || i.origin || ' ' || i.partial
    FROM \(tables), pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS x
    """,
  ]
}
