/// Checks the format `uuid`.
/// - Source: RFC 4122, section 3. The version and the variant may have any value, because the format covers only the
///   syntax.
enum UUIDFormat {
  /// Returns whether a text is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    for (index, byte) in text.enumerated() {
      switch index {
      case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
      default: if !byte.isHexDigit { return false }
      }
    }
    return true
  }
}
