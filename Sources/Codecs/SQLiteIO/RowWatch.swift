import CSQLite

/// Reports every row that one connection inserts, changes or deletes, just before it happens, as long as this object
/// lives.
///
/// Changes of SQLite's own tables (the schema, the counters of AUTOINCREMENT) are not reported.
/// - Source: SQLite, "The pre-update hook"
public final class RowWatch {
  /// What happens to a row.
  public enum Operation: Sendable { case insert, update, delete }

  /// One change, valid only during the callback.
  public struct Change {
    /// What happens.
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

    /// A value before the change; nil if there is not enough memory, or for an insertion.
    @inline(__always)
    public func old(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_old(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }

    /// A value after the change; nil if there is not enough memory, or for a deletion.
    @inline(__always)
    public func new(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_new(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }
  }

  private let connection: SQLiteConnection
  private let onChange: (Change) -> Void

  /// Starts watching. A connection has one watcher.
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
