/// Finds the beginnings of words that some rule must read about, by tables of their first letters' hashes.
///
/// A hit says "perhaps": other words share beginnings and hashes. Long words are held against two tables, so that
/// “passage” and “private” do not make every second text suspect.
final class TriggerWords {
  /// The second table must be asked.
  private static let goesOn: UInt8 = 1 << 7
  /// Counts only behind a bracket or quotation mark.
  private static let inBrackets: UInt8 = 1 << 4
  private static let path = UInt8(truncatingIfNeeded: TextSigns.pathWord.rawValue >> 22)
  private static let placeholder = UInt8(truncatingIfNeeded: TextSigns.placeholderWord.rawValue >> 22)
  private static let size = 2048

  /// By four bytes, or three and something that is no letter.
  private let short = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
  /// By six bytes: six Latin letters or three Cyrillic ones.
  private let long = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
  /// By eight bytes, for words that are not Latin.
  private let longest = UnsafeMutablePointer<UInt8>.allocate(capacity: size)

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

  init() {
    short.initialize(repeating: 0, count: Self.size)
    long.initialize(repeating: 0, count: Self.size)
    longest.initialize(repeating: 0, count: Self.size)
    for (signs, words) in Self.words {
      for word in words { add(word, UInt8(truncatingIfNeeded: signs.rawValue >> 22)) }
    }
    for word in Self.bracketed { add(word, Self.inBrackets) }
  }

  deinit {
    short.deallocate()
    long.deallocate()
    longest.deallocate()
  }

  private func add(_ word: String, _ bits: UInt8) {
    for form in [word, word.uppercased(), word.prefix(1).uppercased() + word.dropFirst()] {
      var bytes = Array(form.utf8)
      let length = bytes.count
      while bytes.count < 8 { bytes.append(0) }
      let key = bytes.withUnsafeBufferPointer { Self.load($0, 0) }
      if length < 4 {
        short[Self.slot(key, 3)] |= bits
      } else if length < 6 {
        short[Self.slot(key, 4)] |= bits
      } else {
        short[Self.slot(key, 4)] |= Self.goesOn
        if bytes[0] >= 0x80, length >= 8 {
          long[Self.slot(key, 6)] |= Self.goesOn
          longest[Self.slot(key, 8)] |= bits
        } else {
          long[Self.slot(key, 6)] |= bits
        }
      }
    }
  }

  /// The signs of the word that begins at `at`.
  @inline(__always) func signs(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
    let key = Self.load(bytes, at)
    var found = short[Self.slot(key, 4)]
    let fourth = UInt8(truncatingIfNeeded: key >> 24)
    if !(fourth | 0x20 >= 0x61 && fourth | 0x20 <= 0x7A) { found |= short[Self.slot(key, 3)] & ~Self.goesOn }
    return found == 0 ? 0 : confirmed(found, key, bytes, at)
  }

  /// What is left of a first suspicion when the letters behind and the byte before are looked at.
  private func confirmed(_ suspicion: UInt8, _ key: UInt64, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
    var found = suspicion
    if found & Self.goesOn != 0 {
      var more = long[Self.slot(key, 6)]
      // A Cyrillic word of three letters ends there: код, not кодекс.
      let seventh = UInt8(truncatingIfNeeded: key >> 48)
      if bytes[at] >= 0x80, seventh == 0xD0 || seventh == 0xD1 { more &= Self.goesOn }
      if more & Self.goesOn != 0 { more = more & ~Self.goesOn | longest[Self.slot(key, 8)] }
      found = found & ~Self.goesOn | more
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

  /// Up to eight bytes as a number; what lies behind the text counts as zero.
  @inline(__always) private static func load(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt64 {
    if bytes.count - at >= 8, let base = bytes.baseAddress {
      return UInt64(littleEndian: UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
    }
    var key: UInt64 = 0
    for index in 0..<bytes.count - at { key |= UInt64(bytes[at + index]) << UInt64(index * 8) }
    return key
  }

  @inline(__always) private static func slot(_ key: UInt64, _ length: Int) -> Int {
    let kept = length == 8 ? key : key & ((1 << UInt64(length * 8)) - 1)
    return Int(truncatingIfNeeded: (kept &* 0x9E37_79B9_7F4A_7C15) >> 53)
  }
}
