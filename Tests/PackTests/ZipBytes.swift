/// ZIP archives written byte by byte, in forms that no tool would produce.
enum ZipBytes {
  /// Returns an archive of stored files with false values in its headers.
  static func archive(
    _ files: [(name: [UInt8], bytes: [UInt8])], mode: Int = 0o100644, localName: [UInt8]? = nil, flags: Int = 0x800,
    method: Int = 0, claimed: Int? = nil, count: Int? = nil, disk: Int = 0
  ) -> [UInt8] {
    var all: [UInt8] = []
    var directory: [UInt8] = []
    for (name, bytes) in files {
      let offset = all.count
      all += local(localName ?? name, bytes, flags: flags, method: method, claimed: claimed) + bytes
      directory += central(name, bytes, offset, mode: mode, flags: flags, method: method, claimed: claimed)
    }
    return all + directory + end(count: count ?? files.count, directory.count, all.count, disk: disk)
  }

  /// Returns an archive with one file and many directory entries that refer to its bytes.
  static func overlapping(count: Int, size: Int) -> [UInt8] {
    let bytes = [UInt8](repeating: 65, count: size)
    let name = Array("data/0000".utf8)
    let all = local(name, bytes) + bytes
    var directory: [UInt8] = []
    for _ in 0..<count { directory += central(name, bytes, 0) }
    return all + directory + end(count: count, directory.count, all.count)
  }

  /// Returns nested files, each of which contains the headers of all further files, so that one byte is expanded many
  /// times.
  static func quoted(count: Int) -> [UInt8] {
    var tail = [UInt8](repeating: 65, count: 1000)
    var offsets: [(name: [UInt8], bytes: [UInt8])] = []
    for number in (0..<count).reversed() {
      let name = Array("data/\(1000 + number)".utf8)
      offsets.append((name, tail))
      tail = local(name, tail) + tail
    }
    var directory: [UInt8] = []
    for (name, bytes) in offsets.reversed() {
      let offset = tail.count - bytes.count - 30 - name.count
      directory += central(name, bytes, offset)
    }
    return tail + directory + end(count: count, directory.count, tail.count)
  }

  static func local(
    _ name: [UInt8], _ bytes: [UInt8], flags: Int = 0x800, method: Int = 0, claimed: Int? = nil
  ) -> [UInt8] {
    number(0x0403_4B50, 4) + number(20, 2) + number(flags, 2) + number(method, 2) + number(0x21_0000, 4)
      + number(crc(bytes), 4) + number(bytes.count, 4) + number(claimed ?? bytes.count, 4) + number(name.count, 2)
      + number(0, 2) + name
  }

  static func central(
    _ name: [UInt8], _ bytes: [UInt8], _ offset: Int, mode: Int = 0o100644, flags: Int = 0x800, method: Int = 0,
    claimed: Int? = nil
  ) -> [UInt8] {
    let head = number(0x0201_4B50, 4) + number(0x0314, 2) + number(20, 2) + number(flags, 2) + number(method, 2)
    let sizes = number(0x21_0000, 4) + number(crc(bytes), 4) + number(bytes.count, 4)
    let rest = number(claimed ?? bytes.count, 4) + number(name.count, 2) + number(0, 8)
    return head + sizes + rest + number(mode << 16, 4) + number(offset, 4) + name
  }

  static func end(count: Int, _ size: Int, _ start: Int, disk: Int = 0) -> [UInt8] {
    number(0x0605_4B50, 4) + number(disk, 2) + number(disk, 2) + number(count, 2) + number(count, 2) + number(size, 4)
      + number(start, 4) + number(0, 2)
  }

  static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  static func crc(_ bytes: [UInt8]) -> Int {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return Int(sum ^ 0xFFFF_FFFF)
  }
}
