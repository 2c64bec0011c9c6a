/// Puts inputs into valid containers: random changes would hardly ever give a correct checksum.
enum PackedBytes {
  /// Splits an input into files, which are separated by NUL; the first line of each is its name.
  static func files(_ input: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    input.split(separator: 0, maxSplits: 63).map { file in
      let end = file.firstIndex(of: 0x0A) ?? file.endIndex
      return (String(decoding: file[..<end], as: UTF8.self), Array(file[end...].dropFirst()))
    }
  }

  /// Returns a ZIP archive of stored files.
  static func zip(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for file in files {
      let name = Array(file.name.utf8.prefix(0xFFFF))
      // The fields are version, flags (names are UTF-8), method, time, CRC, both sizes, and the lengths of the name and
      // the extra field.
      let facts =
        number(20, 2) + number(0x800, 2) + number(0, 2) + number(0x21_0000, 4) + number(crc(file.bytes), 4)
        + number(file.bytes.count, 4) + number(file.bytes.count, 4) + number(name.count, 2) + number(0, 2)
      directory += number(0x0201_4B50, 4) + number(0x0314, 2) + facts + number(0, 6)
      directory += number(0o100644 << 16, 4) + number(archive.count, 4) + name
      archive += number(0x0403_4B50, 4) + facts + name + file.bytes
    }
    return archive + directory + number(0x0605_4B50, 4) + number(0, 4) + number(files.count, 2)
      + number(files.count, 2) + number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
  }

  /// Returns a gzip member of stored blocks.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var all: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var at = 0
    repeat {
      let piece = bytes[at..<min(bytes.count, at + 0xFFFF)]
      at += piece.count
      all += [at == bytes.count ? 1 : 0] + number(piece.count, 2) + number(~piece.count, 2) + piece
    } while at < bytes.count
    return all + number(crc(bytes), 4) + number(bytes.count, 4)
  }

  /// Returns a number as the given number of bytes, the lowest first.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func crc(_ bytes: [UInt8]) -> Int {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    return Int(~sum)
  }

  private static let table = (0..<256).map { (start: UInt32) in
    (0..<8).reduce(start) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }
}
