/// The spelling of paths: each has one. With a slash at its end, or two in a row, it is another path, which nobody has;
/// the router would take them for the same.
enum PathSpelling {
  /// Whether a request's target is spelt as no route is.
  static func isOther(_ target: String) -> Bool {
    var before: UInt8 = 0
    var count = 0
    for byte in target.utf8 {
      if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      if byte == UInt8(ascii: "/"), before == byte { return true }
      before = byte
      count += 1
    }
    return count > 1 && before == UInt8(ascii: "/")
  }
}
