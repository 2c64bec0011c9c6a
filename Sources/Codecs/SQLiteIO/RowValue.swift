import CSQLite

/// A value that SQLite lends, of any type; readable until SQLite goes on.
public struct RowValue {
  private let value: OpaquePointer

  /// Takes what `sqlite3_column_value` and its likes give.
  @inline(__always)
  public init(_ value: OpaquePointer) { self.value = value }

  /// How it is stored.
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

  /// As a whole number.
  @inline(__always)
  public var integer: Int64 { sqlite3_value_int64(value) }

  /// As a floating-point number.
  @inline(__always)
  public var real: Double { sqlite3_value_double(value) }

  /// The bytes of a text, as UTF-8.
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
  /// A column of this row, of any type, in place until the next step.
  @inline(__always)
  public func value(at index: Int) -> RowValue? {
    sqlite3_column_value(handle, Int32(truncatingIfNeeded: index)).map(RowValue.init)
  }
}
