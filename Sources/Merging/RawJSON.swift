import Foundation
import JSONText

/// Comparison of canonical values as they are written.
enum RawJSON {
  /// Whether two values are the same; 38 and 38.0 are one number.
  static func equal(_ left: JSONNode, _ right: JSONNode) -> Bool {
    let mine = left.raw
    let theirs = right.raw
    if mine.count == theirs.count, let first = mine.baseAddress, let second = theirs.baseAddress,
      memcmp(first, second, mine.count) == 0
    {
      return true
    }
    return left.kind == .number && right.kind == .number && left.double == right.double
  }

  /// Whether there is no value, or a text without letters: an empty cell of a table may be either.
  static func isBlank(_ value: JSONNode?) -> Bool {
    guard let value else { return true }
    return value.kind == .string && value.inner.isEmpty
  }
}
