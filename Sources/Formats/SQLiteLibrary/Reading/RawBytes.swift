import Foundation

/// Comparing stretches of memory.
package enum RawBytes {
  /// Whether two stretches hold the same bytes. Empty ones do.
  package static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress, first != second else { return true }
    return memcmp(first, second, left.count) == 0
  }
}
