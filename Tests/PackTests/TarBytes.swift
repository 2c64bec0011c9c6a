/// Tar archives written byte by byte, in forms that no tool would produce.
enum TarBytes {
  /// Returns the number of padding bytes after `count` bytes.
  static func padding(_ count: Int) -> Int { (512 - count % 512) % 512 }

  /// Returns an entry.
  static func entry(
    _ name: [UInt8], _ bytes: [UInt8] = [], type: Character = "0", link: String = "", size: Int? = nil
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: some Sequence<UInt8>, _ at: Int) {
      for (index, byte) in text.enumerated() { header[at + index] = byte }
    }
    func octal(_ value: Int, _ digits: Int) -> String.UTF8View {
      let text = String(value, radix: 8)
      return (String(repeating: "0", count: max(0, digits - text.count)) + text).utf8
    }
    put(name.prefix(100), 0)
    put("0000644\0".utf8, 100)
    put("0000000\0".utf8, 108)
    put("0000000\0".utf8, 116)
    put(octal(size ?? bytes.count, 11), 124)
    put("00000000000\0".utf8, 136)
    put(String(type).utf8, 156)
    put(link.utf8.prefix(100), 157)
    put("ustar\0".utf8, 257)
    put("00".utf8, 263)
    put("        ".utf8, 148)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6), 148)
    header[154] = 0
    return header + bytes + [UInt8](repeating: 0, count: padding(bytes.count))
  }

  /// Returns a file whose name is in a pax header.
  static func pax(_ name: [UInt8], _ bytes: [UInt8] = [], key: String = "path") -> [UInt8] {
    let rest = Array(" \(key)=".utf8) + name + [0x0A]
    var count = rest.count + 1
    while String(count).count + rest.count != count { count += 1 }
    return entry(Array("pax".utf8), Array(String(count).utf8) + rest, type: "x") + entry(Array("x".utf8), bytes)
  }

  /// The end marker of an archive.
  static let end = [UInt8](repeating: 0, count: 1024)
}
