import Foundation

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes contain `text`.
  func contains(_ text: StaticString) -> Bool {
    guard let base = baseAddress, text.utf8CodeUnitCount > 0 else { return false }
    var at = 0
    while at + text.utf8CodeUnitCount <= count,
      let found = memchr(base + at, Int32(text.utf8Start[0]), count - at - text.utf8CodeUnitCount + 1)
    {
      if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { return true }
      at = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
    }
    return false
  }
}
