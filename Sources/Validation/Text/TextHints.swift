import MarkdownSyntax

/// Hints from a quick scan of the bytes of text. They determine which rules need to read the text and which can skip
/// it.
///
/// A hint means "perhaps". If text lacks a rule's hint, the rule has no findings in it.
struct TextHints: OptionSet {
  let rawValue: UInt32

  // The lowest six bits detect adjacent bytes: the class of each byte is shifted left by one and combined with the
  // class of the next byte.

  /// A Latin letter occurs before or after a Greek or Cyrillic one.
  static let scriptMeetsScript: TextHints = [
    TextHints(rawValue: 1 << 1), TextHints(rawValue: 1 << 3),
  ]

  static let latin = TextHints(rawValue: 1 << 8)
  static let cyrillic = TextHints(rawValue: 1 << 9)
  static let greek = TextHints(rawValue: 1 << 10)
  /// The text has letters that are neither Latin, Greek nor Cyrillic, or other scalars from U+0530 on except
  /// punctuation.
  static let otherScript = TextHints(rawValue: 1 << 11)
  static let digit = TextHints(rawValue: 1 << 12)
  static let at = TextHints(rawValue: 1 << 13)
  static let backslash = TextHints(rawValue: 1 << 14)
  static let slash = TextHints(rawValue: 1 << 15)
  /// The text has controls, zero-width or private-use scalars, or other invisible characters.
  static let invisible = TextHints(rawValue: 1 << 16)
  /// The text has a control that changes the writing direction.
  static let bidi = TextHints(rawValue: 1 << 17)
  static let combining = TextHints(rawValue: 1 << 18)
  static let mojibake = TextHints(rawValue: 1 << 19)
  static let degree = TextHints(rawValue: 1 << 20)
  /// The text contains `???`.
  static let questions = TextHints(rawValue: 1 << 21)
  /// The text has a word that often comes before a secret.
  static let secretWord = TextHints(rawValue: 1 << 22)
  /// The text has a word that marks unwritten text.
  static let placeholderWord = TextHints(rawValue: 1 << 23)
  /// The text contains `http`.
  static let web = TextHints(rawValue: 1 << 24)
  /// The text contains `Users`, `home`, `file` or a similar word.
  static let pathWord = TextHints(rawValue: 1 << 25)
  /// The text has at least seven digits.
  static let manyDigits = TextHints(rawValue: 1 << 26)
  /// The text contains `&`, `<` before a letter or a slash, `](`, or `[[`.
  static let markup = TextHints(rawValue: 1 << 27)
}

/// Collects the hints of text in one pass over its bytes.
///
/// A scan takes about a nanosecond per byte. Unusual bytes and the beginnings of words take a slower path.
final class TextHintScanner {
  private typealias Class = UInt32
  /// The byte needs a closer look.
  private static let rare: Class = 1 << 31
  private static let word: Class = 1 << 5
  private static let noWord: Class = 1 << 4

  private let classes = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
  private let triggers = TriggerWords.standard

  init() {
    for byte in 0..<256 { classes[byte] = Self.classOf(UInt8(byte)) }
  }

  deinit { classes.deallocate() }

  /// The first letters of all trigger words. Words with other first letters are not looked up in the tables.
  private static let beginnings = Set("AcefghklpstuvwxCEFGHKLPRSTUVWXr".utf8)

  private static func classOf(_ byte: UInt8) -> Class {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      let letter = 1 | 1 << 3 | TextHints.latin.rawValue
      return beginnings.contains(byte) ? letter | word : letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return TextHints.digit.rawValue
    case UInt8(ascii: "@"): return noWord | TextHints.at.rawValue
    case UInt8(ascii: "\\"): return noWord | TextHints.backslash.rawValue
    case UInt8(ascii: "/"): return noWord | TextHints.slash.rawValue
    case UInt8(ascii: "&"): return noWord | TextHints.markup.rawValue
    case UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"), UInt8(ascii: "{"):
      return noWord | rare
    case 0x09, 0x0A, 0x0D: return noWord
    case 0..<0x20, 0x7F: return noWord | TextHints.invisible.rawValue
    case 0x20..<0x7F: return noWord
    case 0x80..<0xC0: return 1 << 2
    case 0xC2, 0xC3, 0xCC, 0xCD: return rare
    case 0xC4...0xCB: return TextHints.latin.rawValue
    case 0xCE, 0xCF: return 1 << 1 | word | TextHints.greek.rawValue
    case 0xD0...0xD3: return 1 << 1 | word | TextHints.cyrillic.rawValue
    case 0xD8, 0xE0...0xFF: return rare
    default: return TextHints.otherScript.rawValue
    }
  }

  /// Returns the hints for `bytes`, which are UTF-8.
  func signs(of bytes: Span<UInt8>) -> TextHints {
    let classes = classes
    let triggers = triggers
    var seen: Class = 0
    var met: Class = 0
    var previous = Self.noWord
    var digits: UInt32 = 0
    var at = 0
    // Bytes before this position are read one by one.
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
          let (signs, length, ends) = Self.classify(bytes, at)
          seen |= signs.rawValue
          if ends { previous = Self.noWord }
          at += length
          continue
        }
        seen |= triggers.signs(bytes, at)
      }
      at += 1
    }
    if digits >= 7 { seen |= TextHints.manyDigits.rawValue }
    let neighbours = TextHints.scriptMeetsScript.rawValue
    return TextHints(rawValue: (seen & ~0xFF & ~Self.rare) | (met & neighbours))
  }

  /// Returns the hints for a block of ASCII. Most of its letters belong to words that do not matter to rules.
  private func signs(
    of block: ASCIIBlock, _ bytes: Span<UInt8>, _ at: Int, behindNoWord: Bool, _ digits: inout UInt32
  ) -> Class {
    var seen: Class = block.letters == 0 ? 0 : TextHints.latin.rawValue
    if block.digits != 0 {
      seen |= TextHints.digit.rawValue
      digits &+= UInt32(truncatingIfNeeded: block.digits.nonzeroBitCount)
    }
    let apart = ~(block.letters | block.digits)
    var others = apart & ~block.blanks
    while others != 0 {
      let place = at &+ others.trailingZeroBitCount
      others &= others &- 1
      let current = classes[Int(bytes[place])]
      seen |= current
      if current & Self.rare != 0 { seen |= Self.classify(bytes, place).0.rawValue }
    }
    var starts = block.letters & (apart << 1 | (behindNoWord ? 1 : 0))
    while starts != 0 {
      seen |= triggers.signs(bytes, at &+ starts.trailingZeroBitCount)
      starts &= starts &- 1
    }
    return seen
  }

  /// Returns the hints for an unusual byte, the number of bytes to advance, and whether the byte ends a word.
  private static func classify(_ bytes: Span<UInt8>, _ at: Int) -> (TextHints, Int, Bool) {
    let byte = bytes[at]
    if byte == UInt8(ascii: "?") {
      let three = at + 2 < bytes.count && bytes[at + 1] == byte && bytes[at + 2] == byte
      return (three ? .questions : [], 1, true)
    }
    if byte < 0x80 {
      // In “[fill in]” and “<insert name>”, a letter follows the bracket.
      let next = at + 1 < bytes.count ? bytes[at + 1] | 0x20 : 0
      var signs: TextHints = next == UInt8(ascii: "f") || next == UInt8(ascii: "i") ? .placeholderWord : []
      if byte == UInt8(ascii: "<"), (0x61...0x7A).contains(next) || next == UInt8(ascii: "/") { signs.insert(.markup) }
      let following = at + 1 < bytes.count ? bytes[at + 1] : 0
      let isLink =
        byte == UInt8(ascii: "]") && following == UInt8(ascii: "(")
        || byte == UInt8(ascii: "[") && following == UInt8(ascii: "[")
      if isLink { signs.insert(.markup) }
      return (signs, 1, true)
    }
    let (scalar, length) = UTF8Reader.scalar(bytes, at)
    switch scalar {
    case 0x80..<0xC0:
      var signs: TextHints = scalar < 0xA0 || scalar == 0xAD ? .invisible : []
      if scalar == 0xB0 { signs.insert(.degree) }
      // Cyrillic that was read as Windows-1251 has Р and С before signs.
      if at >= 2, bytes[at - 2] == 0xD0, bytes[at - 1] == 0xA0 || bytes[at - 1] == 0xA1 { signs.insert(.mojibake) }
      return (signs, length, true)
    case 0xC2, 0xC3, 0xD0, 0xD1, 0xE2, 0xEF:
      // UTF-8 that was read as Windows-1252 begins with Â Ã Ð Ñ â ï.
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

/// Bit masks that show which of 64 ASCII bytes are letters, digits and blanks. Each byte has one bit; the first byte
/// has the lowest one.
struct ASCIIBlock {
  private(set) var letters: UInt64 = 0
  private(set) var digits: UInt64 = 0
  private(set) var blanks: UInt64 = 0

  /// Classifies 64 bytes. Fails if the text ends earlier, or if not all bytes are ASCII.
  @inline(__always) init?(_ bytes: Span<UInt8>, at start: Int) {
    guard start + 64 <= bytes.count else { return nil }
    var all: UInt64 = 0
    for offset in stride(from: 0, to: 64, by: 8) {
      all |= bytes.word(at: start + offset)
    }
    guard all & ByteSearch.all(0x80) == 0 else { return nil }
    for offset in stride(from: 0, to: 64, by: 8) {
      let eight = bytes.word(at: start + offset)
      let shift = UInt64(offset)
      letters |= Self.bits(ByteSearch.within(eight | ByteSearch.all(0x20), 0x61...0x7A)) << shift
      digits |= Self.bits(ByteSearch.within(eight, 0x30...0x39)) << shift
      blanks |= Self.bits(ByteSearch.equal(eight, 0x20)) << shift
    }
  }

  /// Returns the high bits of eight bytes, packed into one byte.
  @inline(__always) private static func bits(_ marks: UInt64) -> UInt64 {
    ((marks >> 7) &* 0x0102_0408_1020_4080) >> 56
  }
}

/// Finds the beginnings of words that a rule must check.
///
/// A table of hashes rules out nearly all words with one look-up; candidates are compared with the words themselves. A
/// hit still means "perhaps", because other words may begin in the same way. Immutable, so that all threads share one
/// instance.
private final class TriggerWords: @unchecked Sendable {
  /// The only instance. Making an instance for each payload would take longer than scanning the payload.
  static let standard = TriggerWords()

  /// The word counts only after a bracket or quotation mark.
  private static let inBrackets: UInt8 = 1 << 4
  private static let path = UInt8(truncatingIfNeeded: TextHints.pathWord.rawValue >> 22)
  private static let placeholder = UInt8(truncatingIfNeeded: TextHints.placeholderWord.rawValue >> 22)
  private static let size = 8192

  /// For each hash, whether a word may begin with three or four bytes of this hash.
  private let suspects = UnsafeMutablePointer<Bool>.allocate(capacity: size)

  /// For each hash, whether a word may begin with three bytes of this hash. In prose, this is true for one word in
  /// fifty.
  private let beginnings = UnsafeMutablePointer<Bool>.allocate(capacity: size)

  private struct Entry {
    let key: UInt64
    /// The number of bytes that are compared, at most eight.
    let length: Int
    let bits: UInt8
  }

  /// The words in all their forms, by their first three bytes.
  private var entries: [UInt64: [Entry]] = [:]

  private static let words: [(TextHints, [String])] = [
    (
      .secretWord,
      [
        "password", "passwort", "passcode", "passphrase", "passwd", "pwd", "pin", "puk", "пароль", "пароля", "пин",
        "код",
        "contraseña", "secret", "token", "key", "wifi", "wlan", "wpa", "ssid", "code", "kennwort", "sk_l", "sk_t",
        "rk_l",
        "AKIA", "ASIA", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "github", "glpat-", "xoxb", "xoxp", "eyJh", "eyJ0",
        "eyJr",
        "eyJl", "eyJj", "eyJp", "eyJi", "eyJz", "PRIVATE",
      ]
    ),
    (.placeholderWord, ["todo", "tbd", "fixme", "xxx", "lorem"]),
    (.web, ["http"]),
    (.pathWord, ["Users", "home", "file", "Volumes", "private", "var"]),
  ]
  private static let bracketed = ["заполнить", "дописать", "вставить"]

  private init() {
    suspects.initialize(repeating: false, count: Self.size)
    beginnings.initialize(repeating: false, count: Self.size)
    for (signs, words) in Self.words {
      for word in words { add(word, UInt8(truncatingIfNeeded: signs.rawValue >> 22)) }
    }
    for word in Self.bracketed { add(word, Self.inBrackets) }
  }

  deinit {
    suspects.deallocate()
    beginnings.deallocate()
  }

  private func add(_ word: String, _ bits: UInt8) {
    for form in Set([word, word.uppercased(), word.prefix(1).uppercased() + word.dropFirst()]) {
      var bytes = Array(form.utf8)
      let length = min(bytes.count, 8)
      while bytes.count < 8 { bytes.append(0) }
      let key = Self.load(bytes.span, 0)
      suspects[Self.slot(key, min(length, 4))] = true
      beginnings[Self.slot(key, 3)] = true
      entries[key & 0xFF_FFFF, default: []].append(Entry(key: Self.head(key, length), length: length, bits: bits))
    }
  }

  /// Returns the hints for the word that begins at `at`.
  @inline(__always) func signs(_ bytes: Span<UInt8>, _ at: Int) -> UInt32 {
    let key = Self.load(bytes, at)
    guard beginnings[Self.slot(key, 3)], suspects[Self.slot(key, 4)] || suspects[Self.slot(key, 3)] else { return 0 }
    return confirmed(key, bytes, at)
  }

  /// Confirms a candidate by comparing the following letters and the preceding byte.
  private func confirmed(_ key: UInt64, _ bytes: Span<UInt8>, _ at: Int) -> UInt32 {
    guard let candidates = entries[key & 0xFF_FFFF] else { return 0 }
    var found: UInt8 = 0
    for entry in candidates where Self.head(key, entry.length) == entry.key {
      // A short word must be a whole word: “pin” but not “pint”, “код” but not “кодекс”.
      let isShort = entry.length < 4 || bytes[at] >= 0x80 && entry.length < 8
      if isShort, at + entry.length < bytes.count, Self.isLetter(bytes[at + entry.length]) { continue }
      found |= entry.bits
    }
    let before = at > 0 ? bytes[at - 1] : 0x20
    if found & Self.path != 0, before != UInt8(ascii: "/"), UInt8(truncatingIfNeeded: key >> 32) != UInt8(ascii: ":") {
      found &= ~Self.path
    }
    if found & Self.inBrackets != 0 {
      found &= ~Self.inBrackets
      if before > 0x20 { found |= Self.placeholder }
    }
    return UInt32(found) << 22
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == 0xD0 || byte == 0xD1
  }

  /// Returns up to eight bytes as a number. Bytes beyond the end of the text are zero.
  @inline(__always) private static func load(_ bytes: Span<UInt8>, _ at: Int) -> UInt64 {
    if bytes.count - at >= 8 { return bytes.word(at: at) }
    var key: UInt64 = 0
    for index in 0..<bytes.count - at { key |= UInt64(bytes[at + index]) << UInt64(index * 8) }
    return key
  }

  /// Returns the first `length` of eight bytes.
  @inline(__always) private static func head(_ key: UInt64, _ length: Int) -> UInt64 {
    length == 8 ? key : key & ((1 << UInt64(length * 8)) - 1)
  }

  @inline(__always) private static func slot(_ key: UInt64, _ length: Int) -> Int {
    Int(truncatingIfNeeded: (head(key, length) &* 0x9E37_79B9_7F4A_7C15) >> 51)
  }
}
