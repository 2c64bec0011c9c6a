import Foundation
import GRDB

/// Reads row values; returns nil for a value of another type. A damaged file may have any type in any column, and
/// GRDB's own conversions would end the process.
extension Row {
  func integer(_ column: Int) -> Int64? {
    guard column < count, case .int64(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return value
  }

  func text(_ column: Int) -> String? {
    guard column < count, case .string(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return value
  }

  func bytes(_ column: Int) -> [UInt8]? {
    guard column < count, case .blob(let value) = (self[column] as DatabaseValue).storage else { return nil }
    return [UInt8](value)
  }
}
