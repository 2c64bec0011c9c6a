import CSQLite
import Foundation
import SQLiteIO

/// Compares stored values of two rows: storage class and bytes, nothing else.
///
/// 1 and 1.0 differ, and so do a text and a blob of the same bytes. Text that is not valid UTF-8 is compared byte by
/// byte.
struct RowComparison {
  /// Whether both files store text as UTF-16.
  let isWide: Bool

  /// Whether the columns of both rows, from the second on, hold the same values.
  func areSame(_ left: SQLiteStatement, _ right: SQLiteStatement) -> Bool {
    for column in 1..<max(1, left.columnCount) where !isSame(left.handle, right.handle, Int32(column)) { return false }
    return true
  }

  private func isSame(_ left: OpaquePointer, _ right: OpaquePointer, _ column: Int32) -> Bool {
    let type = sqlite3_column_type(left, column)
    guard type == sqlite3_column_type(right, column) else { return false }
    switch type {
    case SQLITE_INTEGER: return sqlite3_column_int64(left, column) == sqlite3_column_int64(right, column)
    case SQLITE_FLOAT:
      return sqlite3_column_double(left, column).bitPattern == sqlite3_column_double(right, column).bitPattern
    case SQLITE_NULL: return true
    default:
      // Reading a text as a blob returns its bytes unchanged, without a check of its encoding.
      let isWideText = isWide && type == SQLITE_TEXT
      let leftCount = isWideText ? sqlite3_column_bytes16(left, column) : sqlite3_column_bytes(left, column)
      let rightCount = isWideText ? sqlite3_column_bytes16(right, column) : sqlite3_column_bytes(right, column)
      guard leftCount == rightCount else { return false }
      if leftCount == 0 { return true }
      guard let leftBytes = sqlite3_column_blob(left, column), let rightBytes = sqlite3_column_blob(right, column)
      else { return false }
      return memcmp(leftBytes, rightBytes, Int(leftCount)) == 0
    }
  }
}
