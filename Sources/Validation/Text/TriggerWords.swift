/// Finds the beginnings of words that some rule must read about, by a table of their first letters' hashes.
///
/// A hit says "perhaps": other words share beginnings and hashes.
final class TriggerWords {
  /// One table for each length of beginnings, in bytes.
  private static let lengths = [3, 4, 6, 8]
  private static let size = 2048
  private let tables = UnsafeMutablePointer<UInt8>.allocate(capacity: size * 4)

  private static let words: [(TextSigns, [String])] = [
    (
      .secretWord,
      [
        "password", "passwort", "passcode", "passphrase", "passwd", "pwd", "pin", "puk", "пароль", "пин", "код",
        "contraseña", "mot", "secret", "token", "api", "apikey", "bearer", "wifi", "wi-fi", "wlan", "wpa", "ssid",
        "sk_", "rk_", "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "github", "glpat", "xoxb", "xoxp", "AIza", "eyJ",
        "begin", "вайфай", "code", "kennwort",
      ]
    ),
    (.placeholderWord, ["todo", "tbd", "fixme", "xxx", "lorem", "заполнить", "дописать", "fill", "insert"]),
    (.web, ["http"]),
    (.pathWord, ["users", "home", "file", "volumes", "private", "var", "documents"]),
  ]

  init() {
    tables.initialize(repeating: 0, count: Self.size * 4)
    for (signs, words) in Self.words {
      for word in words {
        for form in [word, word.uppercased(), word.prefix(1).uppercased() + word.dropFirst()] { add(form, signs) }
      }
    }
  }

  deinit { tables.deallocate() }

  private func add(_ word: String, _ signs: TextSigns) {
    var bytes = Array(word.utf8)
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    let length = (isASCII ? [4, 3] : [8, 6, 4]).first { bytes.count >= $0 } ?? 3
    let table = Self.lengths.firstIndex(of: length) ?? 0
    while bytes.count < 8 { bytes.append(0) }
    let key = bytes.withUnsafeBufferPointer { Self.load($0, 0) }
    tables[table * Self.size + Self.slot(key, length)] |= UInt8(truncatingIfNeeded: signs.rawValue >> 22)
  }

  /// The signs of the word that begins at `at`.
  @inline(__always) func signs(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32 {
    let key = Self.load(bytes, at)
    let found: UInt8
    if bytes[at] < 0x80 {
      found = tables[Self.slot(key, 3)] | tables[Self.size + Self.slot(key, 4)]
    } else {
      found = tables[2 * Self.size + Self.slot(key, 6)] | tables[3 * Self.size + Self.slot(key, 8)]
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
    let kept = key & (length == 8 ? .max : (1 << UInt64(length * 8)) - 1)
    return Int(truncatingIfNeeded: (kept &* 0x9E37_79B9_7F4A_7C15) >> 53)
  }
}
