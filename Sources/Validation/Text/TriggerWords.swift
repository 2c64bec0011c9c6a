/// Finds the beginnings of words that some rule must read about.
///
/// A table of hashes lets nearly all words pass after one look; what it suspects is held against the words themselves.
/// A hit still says "perhaps": other words may begin in the same way. Never changes once it is made, so all threads share
/// one.
final class TriggerWords: @unchecked Sendable {
  /// The only one: to make another for each payload would take longer than to look at the payload.
  static let standard = TriggerWords()

  /// Counts only behind a bracket or quotation mark.
  private static let inBrackets: UInt8 = 1 << 4
  private static let path = UInt8(truncatingIfNeeded: TextSigns.pathWord.rawValue >> 22)
  private static let placeholder = UInt8(truncatingIfNeeded: TextSigns.placeholderWord.rawValue >> 22)
  private static let size = 8192

  /// Whether a word may begin with three or four bytes of this hash.
  private let suspects = UnsafeMutablePointer<Bool>.allocate(capacity: size)

  /// Whether a word may begin with three bytes of this hash: of prose, one word in fifty may.
  private let beginnings = UnsafeMutablePointer<Bool>.allocate(capacity: size)

  private struct Entry {
    let key: UInt64
    /// How many bytes count, at most eight.
    let length: Int
    let bits: UInt8
  }

  /// The words in all their forms, by their first three bytes.
  private var entries: [UInt64: [Entry]] = [:]

  private static let words: [(TextSigns, [String])] = [
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
      let key = bytes.withUnsafeBufferPointer { Self.load($0, 0) }
      suspects[Self.slot(key, min(length, 4))] = true
      beginnings[Self.slot(key, 3)] = true
      entries[key & 0xFF_FFFF, default: []].append(Entry(key: Self.head(key, length), length: length, bits: bits))
    }
  }

  /// The signs of the word that begins at `at`.
  @inline(__always) func signs(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
    let key = Self.load(bytes, at)
    guard beginnings[Self.slot(key, 3)], suspects[Self.slot(key, 4)] || suspects[Self.slot(key, 3)] else { return 0 }
    return confirmed(key, bytes, at)
  }

  /// What is left of a suspicion when the letters behind and the byte before are looked at.
  private func confirmed(_ key: UInt64, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
    guard let candidates = entries[key & 0xFF_FFFF] else { return 0 }
    var found: UInt8 = 0
    for entry in candidates where Self.head(key, entry.length) == entry.key {
      // A short word ends where it ends: pin, not pint; код, not кодекс.
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

  /// Up to eight bytes as a number; what lies behind the text counts as zero.
  @inline(__always) private static func load(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt64 {
    if bytes.count - at >= 8, let base = bytes.baseAddress {
      return UInt64(littleEndian: UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
    }
    var key: UInt64 = 0
    for index in 0..<bytes.count - at { key |= UInt64(bytes[at + index]) << UInt64(index * 8) }
    return key
  }

  /// The first `length` bytes of eight.
  @inline(__always) private static func head(_ key: UInt64, _ length: Int) -> UInt64 {
    length == 8 ? key : key & ((1 << UInt64(length * 8)) - 1)
  }

  @inline(__always) private static func slot(_ key: UInt64, _ length: Int) -> Int {
    Int(truncatingIfNeeded: (head(key, length) &* 0x9E37_79B9_7F4A_7C15) >> 51)
  }
}
