import CSQLite
import Foundation

/// The fastest way that is possible on the machine: the same rows through SQLite's C interface, without any other work.
enum BareLoops {
  /// The item table, and the body tables by type.
  private static let tables = ["library_content", "checklists", "practice_guides"]
  private static let bodies = ["checklist": 1, "practice_guide": 2]

  /// Binds the rows of `library` into a new file, with the same pragmas and order of work as FleetKit.
  ///
  /// The rows are in memory before the clock starts.
  /// - Returns: the time for the rows with their indexes, and for the sync to disk, in seconds.
  static func write(rowsOf library: String, to path: String) -> (rows: Double, sync: Double) {
    let source = open(library)
    let loaded = tables.map { load($0, source) }
    let schema = column(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name IN ('library_content','checklists','practice_guides')",
      source)
    let indexes = column(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        + " AND tbl_name IN ('library_content','checklists','practice_guides')", source)
    sqlite3_close(source)
    try? FileManager.default.removeItem(atPath: path)

    let clock = ContinuousClock()
    let rows = clock.measure {
      let target = open(path)
      run(
        """
        PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -24576; PRAGMA secure_delete = OFF; BEGIN
        """, target)
      for sql in schema { run(sql, target) }
      insert(loaded, into: target)
      for sql in indexes { run(sql, target) }
      run("COMMIT", target)
      sqlite3_close(target)
    }
    let sync = clock.measure {
      let file = Foundation.open(path, O_RDWR)
      fsync(file)
      close(file)
    }
    return (seconds(rows), seconds(sync))
  }

  /// Inserts the rows of `library` into an existing library, in one transaction with SQLite's defaults.
  ///
  /// The rows are in memory before the clock starts.
  /// - Returns: the time including the commit, in seconds.
  static func insert(rowsOf library: String, into path: String) -> Double {
    let source = open(library)
    let loaded = tables.map { load($0, source) }
    sqlite3_close(source)
    return seconds(
      ContinuousClock().measure {
        let target = open(path)
        run("BEGIN IMMEDIATE", target)
        insert(loaded, into: target)
        run("COMMIT", target)
        sqlite3_close(target)
      })
  }

  /// Inserts each item's metadata followed by its body, in FleetKit's order.
  private static func insert(_ loaded: [Rows], into target: OpaquePointer?) {
    let inserts = zip(tables, loaded).map { table, rows in
      var statement: OpaquePointer?
      let marks = Array(repeating: "?", count: rows.columns).joined(separator: ",")
      sqlite3_prepare_v3(target, "INSERT INTO \(table) VALUES (\(marks))", -1, 0, &statement, nil)
      return statement
    }
    var next = [0, 0, 0]
    for row in 0..<loaded[0].count {
      for table in [0, bodies[loaded[0].text(row, typeColumn)] ?? 1] {
        loaded[table].bind(next[table], to: inserts[table])
        next[table] += 1
        guard sqlite3_step(inserts[table]) == SQLITE_DONE else { fatalError(String(cString: sqlite3_errmsg(target))) }
        sqlite3_reset(inserts[table])
      }
    }
    for statement in inserts { sqlite3_finalize(statement) }
  }

  /// Steps through the same rows and writes their bytes to a file, one line per row.
  static func read(_ library: String, to path: String) -> (rows: Double, sync: Double) {
    let clock = ContinuousClock()
    let file = fopen(path, "w")
    var buffer = [CChar](repeating: 0, count: 1 << 20)
    setvbuf(file, &buffer, _IOFBF, buffer.count)
    let rows = clock.measure {
      let source = open(library)
      for table in tables {
        var statement: OpaquePointer?
        sqlite3_prepare_v3(source, "SELECT * FROM \(table) ORDER BY rowid", -1, 0, &statement, nil)
        let columns = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
          for column in 0..<columns {
            let text = sqlite3_column_text(statement, column)
            fwrite(text, 1, Int(sqlite3_column_bytes(statement, column)), file)
          }
          fputc(10, file)
        }
        sqlite3_finalize(statement)
      }
      sqlite3_close(source)
      fflush(file)
    }
    let sync = clock.measure { fsync(fileno(file)) }
    fclose(file)
    return (seconds(rows), seconds(sync))
  }

  // MARK: Pieces

  /// The column with an item's type.
  private static let typeColumn = 3

  /// The values of a table's rows, ready to bind.
  private final class Rows {
    let columns: Int
    var values: [(start: Int, length: Int, type: Int32, number: Int64)] = []
    var text: [UInt8] = []

    init(columns: Int) { self.columns = columns }

    var count: Int { columns == 0 ? 0 : values.count / columns }

    func text(_ row: Int, _ column: Int) -> String {
      let value = values[row * columns + column]
      return String(decoding: text[value.start..<value.start + value.length], as: UTF8.self)
    }

    func bind(_ row: Int, to statement: OpaquePointer?) {
      text.withUnsafeBytes { bytes in
        for column in 0..<columns {
          let value = values[row * columns + column]
          let index = Int32(column + 1)
          switch value.type {
          case SQLITE_INTEGER: sqlite3_bind_int64(statement, index, value.number)
          case SQLITE_NULL: sqlite3_bind_null(statement, index)
          default:
            let start = bytes.baseAddress.map { ($0 + value.start).assumingMemoryBound(to: CChar.self) }
            sqlite3_bind_text64(statement, index, start, UInt64(value.length), nil, UInt8(SQLITE_UTF8))
          }
        }
      }
    }
  }

  private static func load(_ table: String, _ source: OpaquePointer?) -> Rows {
    var statement: OpaquePointer?
    sqlite3_prepare_v3(source, "SELECT * FROM \(table) ORDER BY rowid", -1, 0, &statement, nil)
    let rows = Rows(columns: Int(sqlite3_column_count(statement)))
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<Int32(rows.columns) {
        let type = sqlite3_column_type(statement, column)
        if type == SQLITE_TEXT {
          let length = Int(sqlite3_column_bytes(statement, column))
          rows.values.append((rows.text.count, length, type, 0))
          rows.text.append(
            contentsOf: UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: length))
        } else {
          rows.values.append((0, 0, type, sqlite3_column_int64(statement, column)))
        }
      }
    }
    sqlite3_finalize(statement)
    return rows
  }

  private static func column(_ sql: String, _ source: OpaquePointer?) -> [String] {
    var statement: OpaquePointer?
    sqlite3_prepare_v3(source, sql, -1, 0, &statement, nil)
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { texts.append(String(cString: sqlite3_column_text(statement, 0))) }
    return texts
  }

  private static func open(_ path: String) -> OpaquePointer? {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK else { fatalError("cannot open \(path)") }
    return handle
  }

  private static func run(_ sql: String, _ handle: OpaquePointer?) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
