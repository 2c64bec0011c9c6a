/// Converts the code pages of Windows.
/// - Source: https://encoding.spec.whatwg.org/#legacy-single-byte-encodings, which gives unused bytes the control
///   characters of their number
package enum CodePage {
  /// Converts all bytes; every byte means something.
  package static func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ page: TextEncoding) -> [UInt8] {
    let high = page == .windows1251 ? cyrillic : western
    // All of them lie in the first 64 K of Unicode: three bytes at most.
    return high.withUnsafeBufferPointer { high in
      [UInt8](unsafeUninitializedCapacity: bytes.count * 3) { out, count in
        func append(_ byte: UInt16) {
          out.initializeElement(at: count, to: UInt8(truncatingIfNeeded: byte))
          count += 1
        }
        for byte in bytes {
          let scalar = byte < 0x80 ? UInt16(byte) : high[Int(byte) - 0x80]
          if scalar < 0x80 {
            append(scalar)
          } else if scalar < 0x800 {
            append(0xC0 | scalar >> 6)
            append(0x80 | scalar & 0x3F)
          } else {
            append(0xE0 | scalar >> 12)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
          }
        }
      }
    }
  }

  /// What a byte from 0x80 means.
  package static func scalar(_ byte: UInt8, _ page: TextEncoding) -> UInt16 {
    byte < 0x80 ? UInt16(byte) : (page == .windows1251 ? cyrillic : western)[Int(byte) - 0x80]
  }

  private static let cyrillic: [UInt16] =
    [
      0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x0409, 0x2039, 0x040A, 0x040C,
      0x040B, 0x040F, 0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x0098, 0x2122, 0x0459, 0x203A,
      0x045A, 0x045C, 0x045B, 0x045F, 0x00A0, 0x040E, 0x045E, 0x0408, 0x00A4, 0x0490, 0x00A6, 0x00A7, 0x0401, 0x00A9,
      0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407, 0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6, 0x00B7,
      0x0451, 0x2116, 0x0454, 0x00BB, 0x0458, 0x0405, 0x0455, 0x0457,
    ] + Array(0x0410...0x044F)

  private static let western: [UInt16] =
    [
      0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
      0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0x009D, 0x017E, 0x0178,
    ] + Array(0x00A0...0x00FF)
}
