import CSQLite

/// Tells of every row that one connection inserts, changes or deletes, just before it happens, while it lives.
///
/// SQLite's own tables (the schema, the counters of AUTOINCREMENT) are not among them.
/// - Source: SQLite, "The pre-update hook"
public final class RowWatch {
  /// What happens to a row.
  public enum Operation: Sendable { case insert, update, delete }

  /// One change, readable only while its watcher is told of it.
  public struct Change {
    /// What happens.
    public let operation: Operation
    /// The table's name, zero-terminated.
    public let table: UnsafePointer<CChar>
    /// The row's number before; meaningless for an insertion.
    public let oldRow: Int64
    /// The row's number afterwards; meaningless for a deletion.
    public let newRow: Int64
    fileprivate let handle: OpaquePointer

    /// How many columns the table has.
    public var columnCount: Int { Int(sqlite3_preupdate_count(handle)) }

    /// A value before; nil when memory runs out, or for an insertion.
    @inline(__always)
    public func old(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_old(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }

    /// A value afterwards; nil when memory runs out, or for a deletion.
    @inline(__always)
    public func new(_ column: Int) -> RowValue? {
      var value: OpaquePointer?
      guard sqlite3_preupdate_new(handle, Int32(truncatingIfNeeded: column), &value) == SQLITE_OK else { return nil }
      return value.map(RowValue.init)
    }
  }

  private let connection: SQLiteConnection
  private let onChange: (Change) -> Void

  /// Begins to watch. A connection has one watcher.
  public init(_ connection: SQLiteConnection, onChange: @escaping (Change) -> Void) {
    self.connection = connection
    self.onChange = onChange
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, table, oldRow, newRow in
        // Temporary tables are nobody's content.
        guard let context, let handle, let table, let schema, schema[0] == CChar(UInt8(ascii: "m")) else { return }
        let watch = Unmanaged<RowWatch>.fromOpaque(context).takeUnretainedValue()
        let what: Operation =
          operation == SQLITE_INSERT ? .insert : operation == SQLITE_DELETE ? .delete : .update
        watch.onChange(Change(operation: what, table: table, oldRow: oldRow, newRow: newRow, handle: handle))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends watching.
  public func stop() { sqlite3_preupdate_hook(connection.handle, nil, nil) }

  deinit { stop() }
}
