import Content
import RegistryModel
import RegistryStore

/// Moves a registry from another store into an empty database, in one transaction, and proves it before the commit.
package struct RegistryMove {
  /// The proof for one table.
  package struct Proof: Sendable, Equatable {
    package let table: String
    /// The rows on both sides.
    package let count: Int64
    /// A SHA-256 that contains each row's values after the digest of the rows before it; the same on both sides.
    package let digest: [UInt8]
  }

  /// The number of items in one COPY.
  private static let batch = 1000
  private let address: String

  /// - Parameter address: the address of the database.
  package init(_ address: String) { self.address = address }

  /// Moves all tables.
  /// - Parameters:
  ///   - source: the tables of the other store, in one snapshot.
  ///   - onTable: called with the proof of each table.
  /// - Throws: `StoreFailure`; the database is then unchanged.
  package func run(from source: any StoreTableSource, onTable: (Proof) -> Void) throws(StoreFailure) {
    do {
      let connection = try PostgreSQLConnection(address, session: ["lock_timeout = '10s'"], isWritable: true)
      try StoreSchema.prepare(connection)
      try connection.run("BEGIN")
      // Registries that already use the database wait until everything is there.
      let names = StoreTable.all.map(\.name).joined(separator: ", ")
      try connection.run("LOCK TABLE \(names) IN ACCESS EXCLUSIVE MODE")
      for table in StoreTable.all where try connection.has("SELECT 1 FROM \(table.name) LIMIT 1", []) {
        throw StoreFailure.unavailable(
          "move: the database has a registry already (\(table.name) has rows). Name an empty database.")
      }
      try copy(source, connection)
      for table in StoreTable.all { onTable(try prove(table, source, connection)) }
      try connection.run("COMMIT")
      // The planner needs statistics before the first search.
      try connection.run("ANALYZE")
    } catch { throw StoreProblem.failure(error) as? StoreFailure ?? .unavailable("move: it failed.") }
  }

  private func copy(_ source: any StoreTableSource, _ connection: PostgreSQLConnection) throws {
    for table in StoreTable.all where table != .documents {
      if table == .content {
        try copyContent(source, connection)
        continue
      }
      var rows = CopyRows()
      var count = 0
      func flush() throws {
        let full = rows
        (rows, count) = (CopyRows(), 0)
        try connection.copy(into: table.name, table.names) { $0 = full }
      }
      try source.forEachRow(of: table) { row in
        rows.append(row.map(PostgreSQLValue.init))
        count += 1
        if count == Self.batch { try flush() }
      }
      if count > 0 { try flush() }
    }
  }

  private func copyContent(_ source: any StoreTableSource, _ connection: PostgreSQLConnection) throws {
    let writer = try BulkWriter(connection)
    var items: [BulkWriter.Item] = []
    try source.forEachRow(of: .items) { row in
      var document: [UInt8]?
      if case .bytes(let bytes)? = row.last { document = bytes }
      items.append(try BulkWriter.Item(row: Array(row.dropLast()), document: document))
      guard items.count == Self.batch else { return }
      try writer.insert(items)
      items = []
    }
    try writer.insert(items)
    try connection.run(
      """
      SELECT setval(pg_get_serial_sequence('shared_content', 'number'),
        (SELECT coalesce(max(number), 0) + 1 FROM shared_content), false)
      """)
  }

  // MARK: Proof

  /// Compares a table on both sides, value by value.
  private func prove(
    _ table: StoreTable, _ source: any StoreTableSource, _ connection: PostgreSQLConnection
  ) throws -> Proof {
    let columns = table.columns.map { table == .documents && $0.name == "content_data" ? "document" : $0.name }
    // Ids, hashes and strings are compared by bytes on both sides.
    let names = columns.joined(separator: ", ")
    try connection.run(
      "DECLARE proof NO SCROLL CURSOR FOR SELECT \(names) FROM \(table.name) ORDER BY \(table.key)")
    var page = try connection.query("FETCH 1000 FROM proof", isPlannedForValues: true)
    var row = 0
    var count: Int64 = 0
    var digest = [UInt8](repeating: 0, count: 32)
    try source.forEachRow(of: table) { expected in
      if row == page.count {
        page = try connection.query("FETCH 1000 FROM proof", isPlannedForValues: true)
        row = 0
      }
      let found = page.count == 0 ? nil : page.values(row, table.columns.map(\.kind))
      guard found == expected else {
        throw StoreFailure.unavailable(
          "move: row \(count + 1) of \(table.name) differs after it was written; nothing was moved.")
      }
      var bytes = digest
      for value in expected { value.append(to: &bytes) }
      digest = Digest.sha256(bytes.span)
      row += 1
      count += 1
    }
    let isAtEnd = row == page.count
    page = try connection.query("FETCH 1 FROM proof", isPlannedForValues: true)
    guard isAtEnd, page.count == 0 else {
      throw StoreFailure.unavailable("move: \(table.name) has more rows than before; nothing was moved.")
    }
    try connection.run("CLOSE proof")
    return Proof(table: table.name, count: count, digest: digest)
  }
}

extension BulkWriter.Item {
  /// Makes an item from a row of `StoreTable.content`.
  init(row: [StoredValue], document: [UInt8]?) throws {
    guard row.count == StoreTable.content.columns.count, case .integer(let number) = row[0], case .id(let id) = row[1],
      case .text(let title) = row[4], case .texts(let tags) = row[7], case .time(let created) = row[19]
    else { throw StoreProblem.damaged }
    var description: String?
    if case .text(let text) = row[5] { description = text }
    let isPublic = row[21] == .null
    let body = document.map(SearchText.words) ?? ""
    self.init(
      row: row, number: number, id: id, createdAt: created, isPublic: isPublic,
      texts: BulkWriter.Texts(
        tags: tags, words: isPublic ? SearchWords(title: title, description: description, tags: tags, body).all : [],
        document: document))
  }
}

extension PostgreSQLRows {
  /// Reads a row's values; a value of another type is null.
  func values(_ row: Int, _ kinds: [StoreTable.Kind]) -> [StoredValue] {
    kinds.enumerated().map { column, kind in
      let value: StoredValue? =
        switch kind {
        case .id: id(row, column).map(StoredValue.id)
        case .text: text(row, column).map(StoredValue.text)
        case .texts: texts(row, column).map(StoredValue.texts)
        case .bytes: bytes(row, column).map(StoredValue.bytes)
        case .integer: integer(row, column).map(StoredValue.integer)
        case .truth: truth(row, column).map(StoredValue.truth)
        case .time: time(row, column).map(StoredValue.time)
        }
      return value ?? .null
    }
  }
}
