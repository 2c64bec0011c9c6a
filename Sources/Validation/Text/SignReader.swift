/// Reads the signs of a text in one pass over its bytes.
///
/// Costs about a nanosecond a byte; unusual bytes and the beginnings of words take a slower path.
final class SignReader {
  private typealias Class = UInt32
  /// The byte wants a closer look.
  private static let rare: Class = 1 << 31
  private static let word: Class = 1 << 5
  private static let noWord: Class = 1 << 4

  private let classes = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
  private let triggers = TriggerWords.standard

  init() {
    for byte in 0..<256 { classes[byte] = Self.classOf(UInt8(byte)) }
  }

  deinit { classes.deallocate() }

  /// Letters that no trigger word begins with need no look into its tables.
  private static let beginnings = Set("AcefghklpstuvwxCEFGHKLPRSTUVWXr".utf8)

  private static func classOf(_ byte: UInt8) -> Class {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      let letter = 1 | 1 << 3 | TextSigns.latin.rawValue
      return beginnings.contains(byte) ? letter | word : letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return TextSigns.digit.rawValue
    case UInt8(ascii: "@"): return noWord | TextSigns.at.rawValue
    case UInt8(ascii: "\\"): return noWord | TextSigns.backslash.rawValue
    case UInt8(ascii: "/"): return noWord | TextSigns.slash.rawValue
    case UInt8(ascii: "&"): return noWord | TextSigns.markup.rawValue
    case UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "{"): return noWord | rare
    case 0x09, 0x0A, 0x0D: return noWord
    case 0..<0x20, 0x7F: return noWord | TextSigns.invisible.rawValue
    case 0x20..<0x7F: return noWord
    case 0x80..<0xC0: return 1 << 2
    case 0xC2, 0xC3, 0xCC, 0xCD: return rare
    case 0xC4...0xCB: return TextSigns.latin.rawValue
    case 0xCE, 0xCF: return 1 << 1 | word | TextSigns.greek.rawValue
    case 0xD0...0xD3: return 1 << 1 | word | TextSigns.cyrillic.rawValue
    case 0xD8, 0xE0...0xFF: return rare
    default: return TextSigns.otherScript.rawValue
    }
  }

  /// What the bytes, which are UTF-8, tell at a glance.
  func signs(of bytes: UnsafeBufferPointer<UInt8>) -> TextSigns {
    let classes = classes
    let triggers = triggers
    var seen: Class = 0
    var met: Class = 0
    var previous = Self.noWord
    var digits: UInt32 = 0
    var at = 0
    // Up to here bytes are looked at one by one.
    var slow = 0
    let count = bytes.count
    while at < count {
      if at >= slow {
        slow = at + 32
        if let block = ASCIIBlock(bytes, at: at) {
          met |= (previous << 1) & classes[Int(bytes[at])]
          seen |= signs(of: block, bytes, at, behindNoWord: previous & Self.noWord != 0, &digits)
          previous = classes[Int(bytes[at + 63])]
          at += 64
          continue
        }
      }
      let current = classes[Int(bytes[at])]
      seen |= current
      digits &+= (current >> 12) & 1
      let meeting = (previous << 1) & current
      met |= meeting
      previous = current
      if (meeting & Self.word) | (current & Self.rare) != 0 {
        if current & Self.rare != 0 {
          let (signs, length, ends) = Self.look(bytes, at)
          seen |= signs.rawValue
          if ends { previous = Self.noWord }
          at += length
          continue
        }
        seen |= triggers.signs(bytes, at)
      }
      at += 1
    }
    if digits >= 7 { seen |= TextSigns.manyDigits.rawValue }
    let neighbours = TextSigns.scriptMeetsScript.rawValue
    return TextSigns(rawValue: (seen & ~0xFF & ~Self.rare) | (met & neighbours))
  }

  /// What a block of ASCII adds; most of it are letters of words that mean nothing to anybody.
  private func signs(
    of block: ASCIIBlock, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, behindNoWord: Bool, _ digits: inout UInt32
  ) -> Class {
    var seen: Class = block.letters == 0 ? 0 : TextSigns.latin.rawValue
    if block.digits != 0 {
      seen |= TextSigns.digit.rawValue
      digits &+= UInt32(truncatingIfNeeded: block.digits.nonzeroBitCount)
    }
    let apart = ~(block.letters | block.digits)
    var others = apart & ~block.blanks
    while others != 0 {
      let place = at &+ others.trailingZeroBitCount
      others &= others &- 1
      let current = classes[Int(bytes[place])]
      seen |= current
      if current & Self.rare != 0 { seen |= Self.look(bytes, place).0.rawValue }
    }
    var starts = block.letters & (apart << 1 | (behindNoWord ? 1 : 0))
    while starts != 0 {
      seen |= triggers.signs(bytes, at &+ starts.trailingZeroBitCount)
      starts &= starts &- 1
    }
    return seen
  }

  /// The signs of an unusual byte, how far to go on, and whether a word ends with it.
  private static func look(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> (TextSigns, Int, Bool) {
    let byte = bytes[at]
    if byte == UInt8(ascii: "?") {
      let three = at + 2 < bytes.count && bytes[at + 1] == byte && bytes[at + 2] == byte
      return (three ? .questions : [], 1, true)
    }
    if byte < 0x80 {
      // [fill in], <insert name>: a letter behind the bracket.
      let next = at + 1 < bytes.count ? bytes[at + 1] | 0x20 : 0
      var signs: TextSigns = next == UInt8(ascii: "f") || next == UInt8(ascii: "i") ? .placeholderWord : []
      if byte == UInt8(ascii: "<"), (0x61...0x7A).contains(next) || next == UInt8(ascii: "/") { signs.insert(.markup) }
      return (signs, 1, true)
    }
    let (scalar, length) = UTF8Reader.scalar(bytes, at)
    switch scalar {
    case 0x80..<0xC0:
      var signs: TextSigns = scalar < 0xA0 || scalar == 0xAD ? .invisible : []
      if scalar == 0xB0 { signs.insert(.degree) }
      // Cyrillic that was read as Windows-1251: Р and С before signs.
      if at >= 2, bytes[at - 2] == 0xD0, bytes[at - 1] == 0xA0 || bytes[at - 1] == 0xA1 { signs.insert(.mojibake) }
      return (signs, length, true)
    case 0xC2, 0xC3, 0xD0, 0xD1, 0xE2, 0xEF:
      // Â Ã Ð Ñ â ï begin what UTF-8 looks like when it is read as Windows-1252.
      let broken = at + 2 < bytes.count && (bytes[at + 2] == 0xC2 || bytes[at + 2] == 0xE2 || bytes[at + 2] == 0xC5)
      return (broken ? [.mojibake, .latin] : .latin, length, false)
    case 0xC0..<0x250: return (.latin, length, false)
    case 0x300..<0x370: return (.combining, length, false)
    case 0x61C: return ([.bidi, .otherScript], length, true)
    default: break
    }
    if BidiControl(scalar) != nil { return (.bidi, length, true) }
    if Invisible.isInvisible(scalar) || scalar == 0x200C || scalar == 0x200D { return (.invisible, length, true) }
    if scalar == 0xFFFD { return (.mojibake, length, true) }
    if (0x2000..<0x2C00).contains(scalar) { return ([], length, true) }
    if (0x1AB0..<0x1B00).contains(scalar) || (0x1DC0..<0x1E00).contains(scalar) { return (.combining, length, false) }
    if (0x1E00..<0x1F00).contains(scalar) { return (.latin, length, false) }
    return (.otherScript, length, false)
  }
}
