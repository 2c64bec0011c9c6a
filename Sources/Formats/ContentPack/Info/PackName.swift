/// Names of packs: lower-case letters, digits, dots and hyphens, at most 64 bytes.
public enum PackName {
  /// The maximum length of a name in bytes.
  public static let longest = 64

  /// Whether a string is a pack name: words of letters and digits, separated by single dots or hyphens.
  public static func isValid(_ text: String) -> Bool {
    var mayEnd = false
    for byte in text.utf8 {
      if isWord(byte) {
        mayEnd = true
      } else if mayEnd, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") {
        mayEnd = false
      } else {
        return false
      }
    }
    return mayEnd && text.utf8.count <= longest
  }

  /// Derives a name from a path: its last component, without the extension and without characters that are invalid in
  /// names. Returns `pack` if no characters remain.
  public static func of(path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    if let slash = bytes.lastIndex(of: UInt8(ascii: "/")) { bytes.removeFirst(slash + 1) }
    bytes = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    for ending in [".fleetpack", ".tar.zst", ".tar.gz", ".tgz", ".zip"] where bytes.count > ending.utf8.count {
      if bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
        bytes.removeLast(ending.utf8.count)
        break
      }
    }
    var name: [UInt8] = []
    var gap: UInt8?
    for byte in bytes where name.count < longest {
      if isWord(byte) {
        if let gap, !name.isEmpty { name.append(gap) }
        gap = nil
        name.append(byte)
      } else {
        gap = byte == UInt8(ascii: ".") && gap == nil ? byte : UInt8(ascii: "-")
      }
    }
    name = Array(name.prefix(longest))
    while let last = name.last, !isWord(last) { name.removeLast() }
    return name.isEmpty ? "pack" : String(decoding: name, as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}
