import CSQLite
import Foundation
import SQLiteIO

/// Compares the stored values of two rows by storage class and bytes.
///
/// 1 and 1.0 differ, as do a text and a blob with the same bytes. Text that is not valid UTF-8 is compared byte by
/// byte.
struct RowComparison {
  /// Whether both files store text as UTF-16.
  let isWide: Bool

  /// Whether both rows hold the same values in all columns after the first.
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
      // Reading text as a blob returns its bytes unchanged, without checking the encoding.
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
