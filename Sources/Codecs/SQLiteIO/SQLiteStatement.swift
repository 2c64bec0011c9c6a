import CSQLite

/// A compiled statement: bind, step, read in place. Finalises itself.
public final class SQLiteStatement {
  /// SQLite's handle.
  public let handle: OpaquePointer
  private let connection: SQLiteConnection
  private let operation: String
  /// How many columns a row has.
  public let columnCount: Int

  init(connection: SQLiteConnection, handle: OpaquePointer, operation: String) {
    self.connection = connection
    self.handle = handle
    self.operation = operation
    columnCount = Int(sqlite3_column_count(handle))
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row; false at the end.
  /// - Throws: `SQLiteError`; damage of the file shows here.
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

  /// Makes the statement ready to run again; bound values stay.
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

  /// Binds a copy of a text's bytes.
  public func bind(utf8 bytes: [UInt8], at index: Int) {
    bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty
      _ = sqlite3_bind_text64(handle, Int32(index), start, UInt64(buffer.count), Self.transient, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds bytes in place; they must stay until the statement has run.
  @inline(__always)
  public func bindInPlace(_ text: UnsafeBufferPointer<UInt8>, at index: Int) {
    let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? Self.empty
    sqlite3_bind_text64(handle, Int32(index), start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Binds a copy of bytes as a blob.
  public func bind(blob bytes: [UInt8], at index: Int) {
    bytes.withUnsafeBytes { buffer in
      // Without an address SQLite would take it for NULL.
      let start = buffer.baseAddress ?? UnsafeRawPointer(Self.empty)
      _ = sqlite3_bind_blob64(handle, Int32(index), start, UInt64(buffer.count), Self.transient)
    }
  }

  /// Binds a whole number.
  @inline(__always)
  public func bind(_ number: Int64, at index: Int) { sqlite3_bind_int64(handle, Int32(index), number) }

  /// Binds a floating-point number.
  @inline(__always)
  public func bind(_ number: Double, at index: Int) { sqlite3_bind_double(handle, Int32(index), number) }

  /// Binds NULL.
  @inline(__always)
  public func bindNull(at index: Int) { sqlite3_bind_null(handle, Int32(index)) }

  // MARK: Reading; columns count from 0

  /// What SQLite stores in a column of this row.
  @frozen public enum Storage: Sendable { case null, integer, real, text, blob }

  /// What SQLite stores in a column of this row.
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

  /// The bytes of a text, in place until the next step.
  @inlinable @inline(__always)
  public func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
    // The value once, not the column twice. SQLite tells protected values from others only where a connection has a
    // mutex, and ours have none.
    let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
    let start = sqlite3_value_text(value)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The bytes of a blob, in place until the next step.
  public func blob(at index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(handle, Int32(index))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_column_bytes(handle, Int32(index))))
  }

  /// A column as a whole number.
  @inlinable @inline(__always)
  public func integer(at index: Int) -> Int64 { sqlite3_column_int64(handle, Int32(index)) }

  /// A column as floating point.
  @inline(__always)
  public func double(at index: Int) -> Double { sqlite3_column_double(handle, Int32(index)) }

  /// A column as text; nil for NULL. Bytes that are not UTF-8 are replaced.
  public func text(at index: Int) -> String? {
    storage(at: index) == .null ? nil : String(decoding: bytes(at: index), as: UTF8.self)
  }

  /// A column's name.
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
