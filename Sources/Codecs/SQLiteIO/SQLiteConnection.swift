import CSQLite

/// One open database. Used by one thread at a time; closes itself.
///
/// A thin cover over SQLite's C interface: what stands between a reader and its rows is counted in
/// nanoseconds here (docs/adr/0001).
public final class SQLiteConnection: @unchecked Sendable {
  /// SQLite's handle, for the loops of this project.
  public let handle: OpaquePointer
  private var isOpen = true
  /// The file, for messages.
  public let path: String

  /// How a file is opened.
  public enum Access: Sendable {
    /// Read only, under SQLite's own locks.
    case read
    /// Read only, without any lock: the file is ours alone or cannot change.
    case readImmutable
    /// Read and write; the file is made when it is not there.
    case create
    /// Read and write an existing file.
    case write
    /// Read and write what seems to be an existing file: neither it nor anything beside it changes, and what is written
    /// is gone afterwards. For one without a write-ahead log, and without a journal of an interrupted write.
    case overlay
  }

  /// Done once, before the first connection is made; where something else in the process has begun with SQLite it is
  /// refused, and all is as it was.
  private static let isConfigured: Bool = fleetkit_sqlite_without_memory_status() == SQLITE_OK

  /// Opens `path`.
  ///
  /// Hostile files are expected: no trusted schema, no extension, checked cells, no views or triggers run.
  /// - Parameters:
  ///   - profile: what the database is allowed to do.
  ///   - busyTimeout: milliseconds to wait for another process's lock.
  ///   - followsLinks: whether links lead to the file. If not, the path must be absolute and contain none.
  /// - Throws: `SQLiteError` when the file cannot be opened; damage shows at the first read.
  public init(
    _ path: String, _ access: Access, _ profile: SQLiteProfile, busyTimeout: Int32 = 5000, followsLinks: Bool = true
  ) throws(SQLiteError) {
    _ = Self.isConfigured
    // Without locks there is no journal and no log either, and an overlay looks at neither.
    if access != .readImmutable, access != .overlay { try SideFiles.check(of: path) }
    var flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | (followsLinks ? 0 : SQLITE_OPEN_NOFOLLOW)
    var name = "file:" + Self.uriPath(path)
    switch access {
    case .read:
      flags |= SQLITE_OPEN_READONLY
      name += "?mode=ro"
    case .readImmutable:
      flags |= SQLITE_OPEN_READONLY
      name += "?mode=ro&immutable=1"
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .write, .overlay: flags |= SQLITE_OPEN_READWRITE
    }
    var handle: OpaquePointer?
    let system = access == .overlay && OverlaySystem.isRegistered ? OverlaySystem.name : nil
    let code =
      access == .overlay && system == nil ? SQLITE_CANTOPEN : sqlite3_open_v2(name, &handle, flags, system)
    guard code == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      if let handle { sqlite3_close_v2(handle) }
      throw SQLiteError(code: code, message: message, operation: "open '\(path)'")
    }
    self.handle = handle
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyTimeout)
    try setUp(profile)
    if access == .read || access == .readImmutable {
      try execute("PRAGMA query_only = ON; PRAGMA mmap_size = 0")
    }
  }

  /// An empty database that is nowhere but in memory.
  /// - Throws: `SQLiteError` when memory runs out.
  public static func inMemory() throws(SQLiteError) -> SQLiteConnection { try SQLiteConnection(memory: ()) }

  private init(memory: Void) throws(SQLiteError) {
    _ = Self.isConfigured
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      if let handle { sqlite3_close_v2(handle) }
      throw SQLiteError(code: code, message: "out of memory", operation: "open a database in memory")
    }
    self.handle = handle
    path = ":memory:"
    sqlite3_extended_result_codes(handle, 1)
    try setUp(.own)
  }

  private func setUp(_ profile: SQLiteProfile) throws(SQLiteError) {
    let code = profile.apply(to: handle)
    guard code == SQLITE_OK else {
      close()
      throw SQLiteError(
        code: code, message: "SQLite \(String(cString: sqlite3_libversion())) lacks options that FleetKit needs",
        operation: "open '\(path)'")
    }
  }

  deinit { close() }

  /// Closes the database now; statements that are still there keep it open until they go.
  public func close() {
    if isOpen { sqlite3_close_v2(handle) }
    isOpen = false
  }

  /// Runs statements that return nothing.
  /// - Throws: `SQLiteError` of the first one that fails.
  public func execute(_ sql: String, as operation: String? = nil) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code, operation ?? sql) }
  }

  /// Compiles a statement.
  /// - Throws: `SQLiteError` when the SQL does not fit the schema.
  public func prepare(_ sql: String, as operation: String? = nil) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, operation ?? sql) }
    return SQLiteStatement(connection: self, handle: statement, operation: operation ?? sql)
  }

  /// The rows of a query as text, for small answers.
  public func rows(_ sql: String, _ arguments: [String] = []) throws(SQLiteError) -> [[String?]] {
    let statement = try prepare(sql)
    for (index, argument) in arguments.enumerated() { statement.bind(argument, at: index + 1) }
    var rows: [[String?]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text(at: $0) })
    }
    return rows
  }

  /// The first column of the first row as a number, 0 when there is none.
  public func number(_ sql: String, _ arguments: [String] = []) throws(SQLiteError) -> Int64 {
    try rows(sql, arguments).first?.first?.flatMap { $0 }.flatMap(Int64.init) ?? 0
  }

  /// The id that the last INSERT gave its row.
  public var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// How many rows the last statement changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }

  /// An error with what SQLite last said on this connection.
  public func error(_ code: Int32, _ operation: String) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    let known = extended & 0xFF == code & 0xFF
    return SQLiteError(
      code: known ? extended : code,
      message: String(cString: known ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
      operation: operation)
  }

  /// A path for an SQLite URI, after `file:`; percent-encodes what has a meaning in an SQLite URI.
  public static func uriPath(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        text += "%" + String(byte, radix: 16, uppercase: true)
      case 0x21...0x7E: text.append(Character(UnicodeScalar(byte)))
      default:
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    // A relative name that looks like an authority ("//x") or has a scheme stays a path this way.
    return text.hasPrefix("/") ? "//" + text : text
  }
}
