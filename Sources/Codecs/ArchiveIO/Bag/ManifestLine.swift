/// A line of a manifest: a checksum, white space, and a path.
struct ManifestLine {
  /// The checksum.
  let digest: [UInt8]
  /// The path as written, without an asterisk before it.
  let path: String
  /// Whether an asterisk precedes the path.
  let hasStar: Bool

  /// Parses a line. Returns nil if it is not a manifest line.
  init?(_ line: ArraySlice<UInt8>, length: Int) {
    let digits = line.prefix { !Self.isBlank($0) }
    guard digits.count == length * 2 else { return nil }
    var digest: [UInt8] = []
    digest.reserveCapacity(length)
    var at = digits.startIndex
    while at < digits.endIndex {
      guard let high = Self.value(line[at]), let low = Self.value(line[at + 1]) else { return nil }
      digest.append(high << 4 | low)
      at += 2
    }
    var rest = line[digits.endIndex...]
    let blanks = rest.prefix(while: Self.isBlank).count
    guard blanks > 0 else { return nil }
    rest = rest.dropFirst(blanks)
    hasStar = rest.first == UInt8(ascii: "*")
    if hasStar { rest = rest.dropFirst() }
    guard !rest.isEmpty else { return nil }
    self.digest = digest
    path = String(decoding: rest, as: UTF8.self)
  }

  /// Returns the path after decoding `%0A`, `%0D` and `%25`, the only sequences that BagIt 1.0 encodes.
  static func decoded(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    let bytes = Array(path.utf8)
    var result: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count, let high = value(bytes[at + 1]),
        let low = value(bytes[at + 2]), [0x0A, 0x0D, 0x25].contains(high << 4 | low)
      {
        result.append(high << 4 | low)
        at += 3
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the reason why a path points outside the bag, or nil if it does not.
  static func problem(_ path: String) -> String? {
    let bytes = Array(path.utf8)
    guard let first = bytes.first else { return "it is empty" }
    if first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") { return "it is absolute" }
    if first == UInt8(ascii: "~") { return "it begins with ~, which means a home folder" }
    if bytes.count > 1, bytes[1] == UInt8(ascii: ":"),
      bytes.count == 2 || bytes[2] == UInt8(ascii: "\\") || bytes[2] == UInt8(ascii: "/")
    {
      return "it names a drive"
    }
    // A backslash separates folders on Windows, so '..\\' points outside there. In a shell, '\\.\\.' means '..'.
    for part in bytes.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
    where part.elementsEqual("..".utf8) { return "it contains '..' as a folder" }
    if bytes.contains(0) { return "it has a zero byte" }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
