import CSQLite

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
