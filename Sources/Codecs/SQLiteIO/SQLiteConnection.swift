import CSQLite
import Foundation

/// An error that SQLite reported, with the operation that failed.
public struct SQLiteError: Error, CustomStringConvertible, Sendable {
  /// The extended result code.
  public let code: Int32
  /// SQLite's own message.
  public let message: String
  /// The operation as a phrase, such as `read the table 'charters'`.
  public let operation: String

  /// Creates an error.
  public init(code: Int32, message: String, operation: String) {
    self.code = code
    self.message = message
    self.operation = operation
  }

  /// The primary result code.
  public var primary: Int32 { code & 0xFF }
  /// Whether another connection holds the lock.
  public var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  /// Whether the file is damaged or not a database.
  public var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// Whether a constraint (primary key, unique, not null) forbids the change.
  public var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
  /// Whether the disk is full.
  public var isFull: Bool { primary == SQLITE_FULL }

  /// The operation, reason and code in one line.
  public var description: String { "\(operation): \(message) (SQLite \(code))" }
}

/// The permissions of a database. Every connection is opened with one of these profiles.
///
/// Triggers and views never run, and the schema may not call functions that touch anything outside the database. The
/// profiles differ only in SQLite's defensive mode, which forbids statements that could damage the file.
/// - Source: SQLite, "Defense Against The Dark Arts", "Database Connection Configuration Options"
public enum SQLiteProfile: Sendable, CaseIterable {
  /// A file from outside, such as a library, a store or a database in an archive.
  case foreign
  /// A file that FleetKit creates, including a copy of a foreign file. It may be written without a journal.
  case own
  /// A file from outside whose schema is being repaired, which needs `writable_schema`.
  case repair

  /// The largest size of a string, a blob or a row in bytes.
  public static let greatestLength: Int32 = 1 << 28

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, greatestLength),
    (SQLITE_LIMIT_EXPR_DEPTH, 100),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 1000),
    // VACUUM and migrations attach one database. SQLite runs foreign key actions as triggers.
    (SQLITE_LIMIT_ATTACHED, 1),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 16),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
  ]

  private var options: [(Int32, Int32)] {
    [
      (SQLITE_DBCONFIG_DEFENSIVE, self == .foreign ? 1 : 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    ]
  }

  /// Configures a connection that has not read anything yet.
  /// - Returns: a result code. SQLite before 3.31 lacks some options.
  func apply(to database: OpaquePointer) -> Int32 {
    for (option, value) in options {
      let code = fleetkit_sqlite_set(database, option, value)
      if code != SQLITE_OK { return code }
    }
    for (limit, value) in Self.limits { sqlite3_limit(database, limit, value) }
    return sqlite3_exec(database, "PRAGMA cell_size_check = ON", nil, nil, nil)
  }

  /// Returns whether a connection has this configuration.
  public func isApplied(to connection: SQLiteConnection) -> Bool {
    options.allSatisfy { fleetkit_sqlite_is_set(connection.handle, $0.0) == $0.1 }
      && Self.limits.allSatisfy { sqlite3_limit(connection.handle, $0.0, -1) == $0.1 }
  }
}

/// An open database. Only one thread at a time may use it. It closes when it is released.
///
/// This is a thin layer over SQLite's C interface, because nanoseconds matter when rows are read (docs/adr/0001).
public final class SQLiteConnection: @unchecked Sendable {
  /// SQLite's handle, for direct calls to the C interface in this project.
  public let handle: OpaquePointer
  private var isOpen = true
  /// The path of the file, for messages.
  public let path: String

  /// The mode in which a file is opened.
  public enum Access: Sendable {
    /// Read only, with SQLite's own locks.
    case read
    /// Read only, without locks. The file must not change, or no other process may use it.
    case readImmutable
    /// Read and write. The file is created if it does not exist.
    case create
    /// Read and write an existing file.
    case write
    /// Read and write a view of an existing file. The file and its folder stay unchanged, and changes to the view are
    /// lost when it is closed. The file must not have a write-ahead log or the journal of an interrupted write.
    case overlay
  }

  /// Whether SQLite is configured to keep no memory statistics. SQLite is configured once, before the first connection
  /// is opened. If other code in the process has already used SQLite, SQLite rejects the option and nothing changes.
  private static let isConfigured: Bool = fleetkit_sqlite_without_memory_status() == SQLITE_OK

  /// Opens `path`.
  ///
  /// The file may be hostile: the schema is not trusted, cells are checked, and no extensions, views or triggers run.
  /// - Parameters:
  ///   - profile: the permissions of the database.
  ///   - busyTimeout: the number of milliseconds to wait for another process's lock.
  ///   - followsLinks: whether links to the file are followed. If not, the path must be absolute and must not contain
  ///     links.
  /// - Throws: `SQLiteError` if the file cannot be opened. Damage is detected only when the file is read.
  public init(
    _ path: String, _ access: Access, _ profile: SQLiteProfile, busyTimeout: Int32 = 5000, followsLinks: Bool = true
  ) throws(SQLiteError) {
    _ = Self.isConfigured
    // Without locks, SQLite reads neither a journal nor a log. Nor does an overlay.
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

  /// Opens an empty database in memory.
  /// - Throws: `SQLiteError` if there is not enough memory.
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

  /// Closes the database now. Statements that still exist keep it open until they are released.
  public func close() {
    if isOpen { sqlite3_close_v2(handle) }
    isOpen = false
  }

  /// Runs statements that return nothing.
  /// - Throws: the `SQLiteError` of the first statement that fails.
  public func execute(_ sql: String, as operation: String? = nil) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code, operation ?? sql) }
  }

  /// Compiles a statement.
  /// - Throws: `SQLiteError` if the SQL does not match the schema.
  public func prepare(_ sql: String, as operation: String? = nil) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, operation ?? sql) }
    return SQLiteStatement(connection: self, handle: statement, operation: operation ?? sql)
  }

  /// Returns the rows of a query as text, for small results.
  public func rows(_ sql: String, _ arguments: [String] = []) throws(SQLiteError) -> [[String?]] {
    let statement = try prepare(sql)
    for (index, argument) in arguments.enumerated() { statement.bind(argument, at: index + 1) }
    var rows: [[String?]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text(at: $0) })
    }
    return rows
  }

  /// Returns the first column of the first row as a number, or 0 if there is no row.
  public func number(_ sql: String, _ arguments: [String] = []) throws(SQLiteError) -> Int64 {
    try rows(sql, arguments).first?.first?.flatMap { $0 }.flatMap(Int64.init) ?? 0
  }

  /// The id that the last INSERT assigned.
  public var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last statement changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }

  /// Creates an error with SQLite's last message on this connection.
  public func error(_ code: Int32, _ operation: String) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    let known = extended & 0xFF == code & 0xFF
    return SQLiteError(
      code: known ? extended : code,
      message: String(cString: known ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
      operation: operation)
  }

  /// Returns a path as it follows `file:` in an SQLite URI. Characters with a special meaning in the URI are
  /// percent-encoded.
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
    // This prefix ensures that SQLite reads a relative name as a path even if it looks like an authority ("//x") or has
    // a scheme.
    return text.hasPrefix("/") ? "//" + text : text
  }
}

/// Checks the files that SQLite keeps next to a database, before SQLite opens them.
private enum SideFiles {
  /// Rejects a journal or log that is not a regular file, and a journal that names a super-journal.
  ///
  /// SQLite would wait for the other end of a pipe. It rolls back a journal that a killed writer left, and then deletes
  /// whatever file the journal names as its super-journal. Only transactions over several databases have a
  /// super-journal, and neither the app nor FleetKit makes such transactions.
  /// - Throws: `SQLiteError` if a side file is rejected. The database is then not opened.
  /// - Source: SQLite, "Atomic Commit In SQLite", section 5; `readSuperJournal` in pager.c
  static func check(of path: String) throws(SQLiteError) {
    let real = realpath(path, nil)
    defer { free(real) }
    // SQLite keeps side files next to the file that links point to.
    guard let real, case let database = String(cString: real) else { return }
    for suffix in ["-journal", "-wal", "-shm"] {
      var status = stat()
      guard lstat(database + suffix, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "its \(suffix) is not a regular file") }
      if suffix == "-journal", namesSuperJournal(database + suffix) {
        throw refusal(path, "its -journal names another file, which SQLite would delete")
      }
    }
  }

  private static func refusal(_ path: String, _ why: String) -> SQLiteError {
    SQLiteError(code: SQLITE_PERM, message: why, operation: "open '\(path)'")
  }

  /// Returns whether a journal ends with the name of a super-journal, which the name's length, its checksum and a magic
  /// number follow.
  private static func namesSuperJournal(_ journal: String) -> Bool {
    let file = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size >= 16 else { return false }
    var tail = [UInt8](repeating: 0, count: 16)
    guard pread(file, &tail, 16, status.st_size - 16) == 16 else { return false }
    guard tail[8...].elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) else { return false }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    let length = Int(number(tail[..<4]))
    guard length > 0, length <= longestPath, off_t(length) <= status.st_size - 16 else { return false }
    var name = [UInt8](repeating: 0, count: length)
    guard pread(file, &name, length, status.st_size - 16 - off_t(length)) == length else { return false }
    // SQLite adds up signed characters.
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return sum == number(tail[4..<8])
  }

  /// The length of the longest super-journal name that SQLite accepts.
  private static let longestPath = 4096
}

/// A compiled statement, which binds values, steps through rows and reads them in place. It is finalized when it is
/// released.
public final class SQLiteStatement {
  /// SQLite's handle.
  public let handle: OpaquePointer
  private let connection: SQLiteConnection
  private let operation: String
  /// The number of columns in a row.
  public let columnCount: Int

  init(connection: SQLiteConnection, handle: OpaquePointer, operation: String) {
    self.connection = connection
    self.handle = handle
    self.operation = operation
    columnCount = Int(sqlite3_column_count(handle))
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row. Returns false after the last row.
  /// - Throws: `SQLiteError` if the statement fails, for example because the file is damaged.
  @inline(__always)
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw connection.error(code, operation)
  }

  /// Runs a statement that returns nothing and makes it ready to run again.
  @inline(__always)
  public func run() throws(SQLiteError) {
    let code = sqlite3_step(handle)
    if code != SQLITE_DONE, code != SQLITE_ROW {
      let error = connection.error(code, operation)
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Makes the statement ready to run again. Bound values are kept.
  public func reset() { sqlite3_reset(handle) }

  // MARK: Binding; columns count from 1

  /// Binds a copy of `text`.
  public func bind(_ text: String, at index: Int) {
    var text = text
    text.withUTF8 { utf8 in
      _ = sqlite3_bind_text64(
        handle, Int32(index), UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? Self.empty,
        UInt64(utf8.count), Self.transient, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds a copy of UTF-8 bytes as text.
  public func bind(utf8 bytes: [UInt8], at index: Int) {
    bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty
      _ = sqlite3_bind_text64(handle, Int32(index), start, UInt64(buffer.count), Self.transient, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds bytes in place. They must stay in memory until the statement has run.
  @inline(__always)
  public func bindInPlace(_ text: Span<UInt8>, at index: Int) {
    text.withUnsafeBytes { text in
      let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty
      _ = sqlite3_bind_text64(handle, Int32(index), start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds a copy of bytes as a blob.
  public func bind(blob bytes: [UInt8], at index: Int) {
    bytes.withUnsafeBytes { buffer in
      // Without an address, SQLite would bind NULL.
      let start = buffer.baseAddress ?? UnsafeRawPointer(Self.empty)
      _ = sqlite3_bind_blob64(handle, Int32(index), start, UInt64(buffer.count), Self.transient)
    }
  }

  /// Binds an integer.
  @inline(__always)
  public func bind(_ number: Int64, at index: Int) { sqlite3_bind_int64(handle, Int32(index), number) }

  /// Binds a floating-point number.
  @inline(__always)
  public func bind(_ number: Double, at index: Int) { sqlite3_bind_double(handle, Int32(index), number) }

  /// Binds NULL.
  @inline(__always)
  public func bindNull(at index: Int) { sqlite3_bind_null(handle, Int32(index)) }

  // MARK: Reading; columns count from 0

  /// The storage class of a column's value.
  @frozen public enum Storage: Sendable { case null, integer, real, text, blob }

  /// Returns the storage class of a column's value in the current row.
  @inlinable @inline(__always)
  public func storage(at index: Int) -> Storage {
    switch sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Returns the bytes of a text value in place. They are valid until the next step.
  @inlinable @inline(__always)
  public func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
    // Fetching the value once is faster than fetching the column twice. SQLite requires protected values only if a
    // connection has a mutex, and these connections have none.
    let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
    let start = sqlite3_value_text(value)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// Returns the bytes of a blob in place. They are valid until the next step.
  public func blob(at index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(handle, Int32(index))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_column_bytes(handle, Int32(index))))
  }

  /// Returns a column as an integer.
  @inlinable @inline(__always)
  public func integer(at index: Int) -> Int64 { sqlite3_column_int64(handle, Int32(index)) }

  /// Returns a column as a floating-point number.
  @inline(__always)
  public func double(at index: Int) -> Double { sqlite3_column_double(handle, Int32(index)) }

  /// Returns a column as text, or nil for NULL. Bytes that are not UTF-8 are replaced with U+FFFD.
  public func text(at index: Int) -> String? {
    storage(at: index) == .null ? nil : String(decoding: bytes(at: index), as: UTF8.self)
  }

  /// Returns a column's name.
  public func name(at index: Int) -> String {
    sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
  }

  private nonisolated(unsafe) static let empty: UnsafePointer<CChar> = {
    let zero = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    zero.pointee = 0
    return UnsafePointer(zero)
  }()
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A value of any type that SQLite owns. It can be read until the next call to SQLite.
public struct RowValue {
  private let value: OpaquePointer

  /// Wraps a result of `sqlite3_column_value` or a similar function.
  @inline(__always)
  public init(_ value: OpaquePointer) { self.value = value }

  /// The storage class of the value.
  @inline(__always)
  public var storage: SQLiteStatement.Storage {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// The value as an integer.
  @inline(__always)
  public var integer: Int64 { sqlite3_value_int64(value) }

  /// The value as a floating-point number.
  @inline(__always)
  public var real: Double { sqlite3_value_double(value) }

  /// The bytes of a text value, in UTF-8.
  @inline(__always)
  public var text: UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_text(value)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The bytes of a blob.
  @inline(__always)
  public var blob: UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_blob(value)
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_value_bytes(value)))
  }
}

extension SQLiteStatement {
  /// Returns a column of any type of the current row in place. The value is valid until the next step.
  @inline(__always)
  public func value(at index: Int) -> RowValue? {
    sqlite3_column_value(handle, Int32(truncatingIfNeeded: index)).map(RowValue.init)
  }
}

/// Reports every row that a connection inserts, changes or deletes, just before the change, as long as this object
/// exists.
///
/// Changes to SQLite's own tables (the schema and the counters of AUTOINCREMENT) are not reported.
/// - Source: SQLite, "The pre-update hook"
public final class RowWatch {
  /// A change to a row.
  public enum Operation: Sendable { case insert, update, delete }

  /// One change, which is valid only during the callback.
  public struct Change {
    /// The kind of change.
    public let operation: Operation
    /// The table's name, zero-terminated.
    public let table: UnsafePointer<CChar>
    /// The row's rowid before the change; meaningless for an insertion.
    public let oldRow: Int64
    /// The row's rowid after the change; meaningless for a deletion.
    public let newRow: Int64
    fileprivate let handle: OpaquePointer

    /// The number of columns in the table.
    public var columnCount: Int { Int(sqlite3_preupdate_count(handle)) }

    /// Returns a value before the change, or nil for an insertion or if there is not enough memory.
    @inline(__always)
    public func old(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_old(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }

    /// Returns a value after the change, or nil for a deletion or if there is not enough memory.
    @inline(__always)
    public func new(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_new(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }
  }

  private let connection: SQLiteConnection
  private let onChange: (Change) -> Void

  /// Starts watching. A connection can have only one watcher.
  public init(_ connection: SQLiteConnection, onChange: @escaping (Change) -> Void) {
    self.connection = connection
    self.onChange = onChange
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, table, oldRow, newRow in
        // Temporary tables hold no content.
        guard let context, let handle, let table, let schema, schema[0] == CChar(UInt8(ascii: "m")) else { return }
        let watch = Unmanaged<RowWatch>.fromOpaque(context).takeUnretainedValue()
        let what: Operation =
          operation == SQLITE_INSERT ? .insert : operation == SQLITE_DELETE ? .delete : .update
        watch.onChange(Change(operation: what, table: table, oldRow: oldRow, newRow: newRow, handle: handle))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops watching.
  public func stop() { sqlite3_preupdate_hook(connection.handle, nil, nil) }

  deinit { stop() }
}
