/// The description of a file in a ZIP archive.
struct ZipMember {
  /// The name in UTF-8.
  var name: [UInt8]
  /// The size in bytes.
  var size = 0
  /// The size in the archive in bytes.
  var packedSize = 0
  /// The CRC-32 of the file's bytes.
  var crc: UInt32 = 0
  /// The compression method: 0 for stored, 8 for deflated.
  var method: UInt16 = 8
  /// The offset of the local header.
  var offset = 0
  /// The date and time in MS-DOS format, with the date in the upper half.
  var time: UInt32 = 0
  /// Whether the entry is a folder. This is set when an archive is read.
  var isFolder = false
  /// A description of the entry if it is neither a file nor a folder.
  var oddity: String?

  /// Whether the sizes need 64 bits. This depends on the size before packing, so that the header's length is known.
  var isLarge: Bool { size >= 0xF000_0000 }

  /// The local header, which precedes the file's bytes.
  var local: [UInt8] {
    var bytes = Bytes()
    bytes.put32(0x0403_4B50)
    bytes.put16(isLarge ? 45 : 20)
    putCommon(&bytes, extra: isLarge ? 20 : 0)
    bytes.all += name
    if isLarge {
      bytes.put16(1)
      bytes.put16(16)
      bytes.put64(size)
      bytes.put64(packedSize)
    }
    return bytes.all
  }

  /// Returns the directory entry for an archive in which the file begins `shifted` bytes later.
  func central(shifted: Int) -> [UInt8] {
    let place = offset + shifted
    let isFar = place >= 0xFFFF_FFFF
    let extra = (isLarge ? 16 : 0) + (isFar ? 8 : 0)
    var bytes = Bytes()
    bytes.put32(0x0201_4B50)
    bytes.put16(3 << 8 | (extra > 0 ? 45 : 20))  // made on Unix
    bytes.put16(extra > 0 ? 45 : 20)
    putCommon(&bytes, extra: extra > 0 ? extra + 4 : 0)
    bytes.put16(0)  // comment
    bytes.put16(0)  // disk
    bytes.put16(0)  // internal attributes
    bytes.put32(0o100644 << 16)
    bytes.put32(isFar ? 0xFFFF_FFFF : UInt32(place))
    bytes.all += name
    if extra > 0 {
      bytes.put16(1)
      bytes.put16(UInt16(extra))
      if isLarge {
        bytes.put64(size)
        bytes.put64(packedSize)
      }
      if isFar { bytes.put64(place) }
    }
    return bytes.all
  }

  /// Returns the records that end a directory.
  static func end(count: Int, start: Int, size: Int) -> [UInt8] {
    var bytes = Bytes()
    if count >= 0xFFFF || start >= 0xFFFF_FFFF || size >= 0xFFFF_FFFF {
      bytes.put32(0x0606_4B50)
      bytes.put64(44)
      bytes.put16(3 << 8 | 45)
      bytes.put16(45)
      bytes.put32(0)
      bytes.put32(0)
      bytes.put64(count)
      bytes.put64(count)
      bytes.put64(size)
      bytes.put64(start)
      bytes.put32(0x0706_4B50)
      bytes.put32(0)
      bytes.put64(start + size)
      bytes.put32(1)
    }
    bytes.put32(0x0605_4B50)
    bytes.put16(0)
    bytes.put16(0)
    bytes.put16(UInt16(min(count, 0xFFFF)))
    bytes.put16(UInt16(min(count, 0xFFFF)))
    bytes.put32(UInt32(min(size, 0xFFFF_FFFF)))
    bytes.put32(UInt32(min(start, 0xFFFF_FFFF)))
    bytes.put16(0)
    return bytes.all
  }

  /// Converts a time to MS-DOS format in UTC. In local time, the result would differ from machine to machine.
  static func time(of seconds: Int64) -> UInt32 {
    // The format can represent 1980-01-01 to 2107-12-31.
    let bounded = min(max(seconds, 315_532_800), 4_354_819_198)
    let (day, second) = (Int(bounded / 86_400), Int(bounded % 86_400))
    // Days are converted to a date with years that begin in March, so that the leap day is at the end (Howard Hinnant,
    // "chrono").
    let shifted = day + 719_468
    let era = shifted / 146_097
    let inEra = shifted % 146_097
    let year = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    let part = (5 * inYear + 2) / 153
    let date = inYear - (153 * part + 2) / 5 + 1
    let month = part < 10 ? part + 3 : part - 9
    let years = year + era * 400 + (month <= 2 ? 1 : 0) - 1980
    let upper = years << 9 | month << 5 | date
    return UInt32(upper << 16 | (second / 3600) << 11 | (second / 60 % 60) << 5 | second % 60 / 2)
  }

  private func putCommon(_ bytes: inout Bytes, extra: Int) {
    bytes.put16(0x0800)  // names are UTF-8
    bytes.put16(method)
    bytes.put32(time)
    bytes.put32(crc)
    bytes.put32(isLarge ? 0xFFFF_FFFF : UInt32(packedSize))
    bytes.put32(isLarge ? 0xFFFF_FFFF : UInt32(size))
    bytes.put16(UInt16(name.count))
    bytes.put16(UInt16(extra))
  }

  /// Appends numbers in little-endian order.
  private struct Bytes {
    var all: [UInt8] = []
    mutating func put16(_ value: UInt16) { all += [UInt8(value & 255), UInt8(value >> 8)] }
    mutating func put32(_ value: UInt32) {
      put16(UInt16(value & 0xFFFF))
      put16(UInt16(value >> 16))
    }
    mutating func put64(_ value: Int) {
      put32(UInt32(truncatingIfNeeded: value))
      put32(UInt32(truncatingIfNeeded: value >> 32))
    }
  }
}
