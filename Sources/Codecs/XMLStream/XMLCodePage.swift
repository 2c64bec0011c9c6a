import CExpat

/// The encodings of one byte a character that expat does not know of itself.
enum XMLCodePage {
  /// What the upper 128 bytes mean: scalars in hexadecimal, `410+64` for 64 that follow one another; 0 means nothing.
  private static let tables: [String: String] = [
    "windows-1250": """
    20AC 0 201A 0 201E 2026 2020+2 0 2030 160 2039 15A 164 17D 179 0 2018+2 201C+2 2022 2013+2 0 2122 161 203A 15B \
    165 17E 17A A0 2C7 2D8 141 A4 104 A6+4 15E AB+4 17B B0+2 2DB 142 B4+5 105 15F BB 13D 2DD 13E 17C 154 C1+2 102 C4 \
    139 106 C7 10C C9 118 CB 11A CD+2 10E 110 143 147 D3+2 150 D6+2 158 16E DA 170 DC+2 162 DF 155 E1+2 103 E4 13A \
    107 E7 10D E9 119 EB 11B ED+2 10F 111 144 148 F3+2 151 F6+2 159 16F FA 171 FC+2 163 2D9
    """,
    "windows-1251": """
    402+2 201A 453 201E 2026 2020+2 20AC 2030 409 2039 40A 40C 40B 40F 452 2018+2 201C+2 2022 2013+2 0 2122 459 203A \
    45A 45C 45B 45F A0 40E 45E 408 A4 490 A6+2 401 A9 404 AB+4 407 B0+2 406 456 491 B5+3 451 2116 454 BB 458 405 455 \
    457 410+64
    """,
    "windows-1252": """
    20AC 0 201A 192 201E 2026 2020+2 2C6 2030 160 2039 152 0 17D 0+2 2018+2 201C+2 2022 2013+2 2DC 2122 161 203A 153 \
    0 17E 178 A0+96
    """,
    "windows-1253": """
    20AC 0 201A 192 201E 2026 2020+2 0 2030 0 2039 0+5 2018+2 201C+2 2022 2013+2 0 2122 0 203A 0+4 A0 385+2 A3+7 0 \
    AB+4 2015 B0+4 384 B5+3 388+3 BB 38C BD 38E+20 0 3A3+44 0
    """,
    "windows-1254": """
    20AC 0 201A 192 201E 2026 2020+2 2C6 2030 160 2039 152 0+4 2018+2 201C+2 2022 2013+2 2DC 2122 161 203A 153 0+2 \
    178 A0+48 11E D1+12 130 15E DF+17 11F F1+12 131 15F FF
    """,
    "windows-1255": """
    20AC 0 201A 192 201E 2026 2020+2 2C6 2030 0 2039 0+5 2018+2 201C+2 2022 2013+2 2DC 2122 0 203A 0+4 A0+4 20AA \
    A5+5 D7 AB+15 F7 BB+5 5B0+10 0 5BB+9 5F0+5 0+7 5D0+27 0+2 200E+2 0
    """,
    "windows-1256": """
    20AC 67E 201A 192 201E 2026 2020+2 2C6 2030 679 2039 152 686 698 688 6AF 2018+2 201C+2 2022 2013+2 6A9 2122 691 \
    203A 153 200C+2 6BA A0 60C A2+8 6BE AB+15 61B BB+4 61F 6C1 621+22 D7 637+4 640+4 E0 644 E2 645+4 E7+5 649+2 EE+2 \
    64B+4 F4 64F+2 F7 651 F9 652 FB+2 200E+2 6D2
    """,
    "windows-1257": """
    20AC 0 201A 0 201E 2026 2020+2 0 2030 0 2039 0 A8 2C7 B8 0 2018+2 201C+2 2022 2013+2 0 2122 0 203A 0 AF 2DB 0 A0 \
    0 A2+3 0 A6+2 D8 A9 156 AB+4 C6 B0+8 F8 B9 157 BB+4 E6 104 12E 100 106 C4+2 118 112 10C C9 179 116 122 136 12A \
    13B 160 143 145 D3 14C D5+3 172 141 15A 16A DC 17B 17D DF 105 12F 101 107 E4+2 119 113 10D E9 17A 117 123 137 \
    12B 13C 161 144 146 F3 14D F5+3 173 142 15B 16B FC 17C 17E 2D9
    """,
    "windows-1258": """
    20AC 0 201A 192 201E 2026 2020+2 2C6 2030 0 2039 152 0+4 2018+2 201C+2 2022 2013+2 2DC 2122 0 203A 153 0+2 178 \
    A0+35 102 C4+8 300 CD+3 110 D1 309 D3+2 1A0 D6+7 1AF 303 DF+4 103 E4+8 301 ED+3 111 F1 323 F3+2 1A1 F6+7 1B0 \
    20AB FF
    """,
    "iso-8859-2": """
    80+33 104 2D8 141 A4 13D 15A A7+2 160 15E 164 179 AD 17D 17B B0 105 2DB 142 B4 13E 15B 2C7 B8 161 15F 165 17A \
    2DD 17E 17C 154 C1+2 102 C4 139 106 C7 10C C9 118 CB 11A CD+2 10E 110 143 147 D3+2 150 D6+2 158 16E DA 170 DC+2 \
    162 DF 155 E1+2 103 E4 13A 107 E7 10D E9 119 EB 11B ED+2 10F 111 144 148 F3+2 151 F6+2 159 16F FA 171 FC+2 163 \
    2D9
    """,
    "iso-8859-5": """
    80+33 401+12 AD 40E+66 2116 451+12 A7 45E+2
    """,
    "iso-8859-9": """
    80+80 11E D1+12 130 15E DF+17 11F F1+12 131 15F FF
    """,
    "iso-8859-15": """
    80+36 20AC A5 160 A7 161 A9+11 17D B5+3 17E B9+3 152+2 178 BF+65
    """,
    "koi8-r": """
    2500 2502 250C 2510 2514 2518 251C 2524 252C 2534 253C 2580 2584 2588 258C 2590+4 2320 25A0 2219+2 2248 2264+2 \
    A0 2321 B0 B2 B7 F7 2550+3 451 2553+15 401 2562+11 A9 44E 430+2 446 434+2 444 433 445 438+8 44F 440+4 436 432 \
    44C 44B 437 448 44D 449 447 44A 42E 410+2 426 414+2 424 413 425 418+8 42F 420+4 416 412 42C 42B 417 428 42D 429 \
    427 42A
    """,
    "koi8-u": """
    2500 2502 250C 2510 2514 2518 251C 2524 252C 2534 253C 2580 2584 2588 258C 2590+4 2320 25A0 2219+2 2248 2264+2 \
    A0 2321 B0 B2 B7 F7 2550+3 451 454 2554 456+2 2557+5 491 255D+5 401 404 2563 406+2 2566+5 490 256C A9 44E 430+2 \
    446 434+2 444 433 445 438+8 44F 440+4 436 432 44C 44B 437 448 44D 449 447 44A 42E 410+2 426 414+2 424 413 425 \
    418+8 42F 420+4 416 412 42C 42B 417 428 42D 429 427 42A
    """,
  ]

  /// Fills in the table of an encoding.
  /// - Returns: what expat wants to know: whether the encoding is known.
  static func fill(_ info: UnsafeMutablePointer<XML_Encoding>?, for name: UnsafePointer<CChar>?) -> Int32 {
    guard let info, let name, let table = tables[canonical(String(cString: name))] else { return 0 }
    withUnsafeMutableBytes(of: &info.pointee.map) { room in
      let map = room.bindMemory(to: Int32.self)
      for byte in 0..<min(128, map.count) { map[byte] = Int32(byte) }
      var at = 128
      for part in table.split(separator: " ") {
        let numbers = part.split(separator: "+")
        guard let first = Int32(numbers[0], radix: 16) else { continue }
        let count = numbers.count > 1 ? Int(numbers[1]) ?? 1 : 1
        for step in 0..<count where at < map.count {
          map[at] = first == 0 ? -1 : first + Int32(step)
          at += 1
        }
      }
    }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    return 1
  }

  private static func canonical(_ name: String) -> String {
    let lower = name.lowercased()
    if lower.hasPrefix("cp125") { return "windows-" + lower.dropFirst(2) }
    if lower.hasPrefix("x-cp125") { return "windows-" + lower.dropFirst(4) }
    return lower
  }
}
