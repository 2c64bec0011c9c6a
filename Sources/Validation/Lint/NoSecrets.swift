import Diagnostics

/// Text contains no password, code or key.
///
/// Everyone can read published text, and exported text is stored in files. The rule reports values after words like
/// `password`, `PIN`, `пароль` and `door code`, service keys with known prefixes, and private keys. The finding does
/// not repeat the value. Words that are not secret can be allowed in `.fleetkit.yml`.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Arriving", "content_data": {"sections": [
///   {"title": "Marina", "items": [{"title": "Wi-Fi password: hunter2"}, {"title": "Gate code 4711#, closes at ten"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Приход", "language": "ru", "content_data": {"sections": [
///   {"title": "Марина", "items": [{"title": "Пароль от вайфая: Nadezhda77"}, {"title": "Код замка — 1954"}]}]}}
/// ```
///
/// Mentioning passwords is allowed:
///
/// ```json good
/// {"content_type": "checklist", "title": "Arriving", "content_data": {"sections": [
///   {"title": "Marina", "items": [
///     {"title": "Password for the Wi-Fi: ask the office"}, {"title": "Clevis pin 10 mm, error code 12, PIN ____"},
///     {"title": "Код ошибки: 1204. Пароль: спросить у базы"}]}]}}
/// ```
struct NoSecrets: Rule {
  static let code = DiagnosticCode(
    "LNT0601", "secret", .error, "Text contains what looks like a password, a code or a key.",
    why: "anyone who gets the file can use the secret, and everyone can read published text",
    fix: "remove the secret, and change it if the text was ever shared")

  private let knownWords: Set<String>

  init(limits: RuleLimits) { knownWords = Set(limits.knownWords.map { $0.lowercased() }) }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .secretWord) { text in
      var left = 3
      var at = 0
      while left > 0, let secret = SecretFinder.next(in: text.bytes.span, from: at) {
        at = secret.value.upperBound
        guard !isKnown(UTF8Reader.string(text.bytes.span, secret.value)), !isKnown(secret.word) else { continue }
        left -= 1
        report.finding(
          secret.isKey
            ? "\(Quotation.of(secret.word)) looks like the beginning of a key"
            : "\(Quotation.of(secret.word)) is followed by what looks like the secret itself",
          at: text.node, in: secret.value, label: secret.isKey ? "a key?" : "the secret itself?")
        // One finding per text is enough, except in a long guide, which may contain several secrets.
        if text.role != .markdown { return }
      }
    }
  }

  private func isKnown(_ text: String) -> Bool { !knownWords.isEmpty && knownWords.contains(text.lowercased()) }
}

/// Finds passwords, codes and keys in text.
enum SecretFinder {
  /// A secret that was found.
  struct Secret {
    /// The secret's bytes.
    let value: Range<Int>
    /// The word that indicates the secret.
    let word: String
    /// Whether it is a key with a known prefix.
    let isKey: Bool
  }

  private enum Word {
    /// A value after the word is a password.
    case password
    /// A number after the word is a code.
    case pin
    /// A number after the word is a code if the text mentions a door or lock.
    case code
    /// A long value after the word is a key.
    case key
  }

  private static let words: [UInt64: Word] = {
    var all: [UInt64: Word] = [:]
    let lists: [(Word, String)] = [
      (.password, "password passwort passcode passphrase passwd pwd kennwort contraseña пароль пароля"),
      (.pin, "pin puk пин"), (.code, "code код"), (.key, "apikey token secret bearer key"),
    ]
    for (word, list) in lists {
      for text in list.split(separator: " ") { all[TextKey.hash(String(text), .letters)] = word }
    }
    return all
  }()

  /// Prefixes of keys, each with the number of letters and digits that must follow.
  private static let prefixes: [(text: [UInt8], rest: Int)] = [
    ("AKIA", 16), ("ASIA", 16), ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("github_pat_", 20),
    ("glpat-", 20), ("sk_live_", 10), ("sk_test_", 10), ("rk_live_", 10), ("xoxb-", 10), ("xoxp-", 10), ("AIza", 35),
    ("eyJ", 30),
  ].map { (Array($0.0.utf8), $0.1) }

  private static let locks = [
    "door", "gate", "lock", "alarm", "access", "entry", "shower", "toilet", "safe", "pontoon", "двер", "замк", "замок",
    "ворот", "калит", "сигнализ", "доступ", "домофон", "душ", "сейф",
  ]
  /// The maximum distance between a word and its value, in bytes.
  private static let reach = 48

  /// Returns the first secret from `start` on.
  static func next(in bytes: Span<UInt8>, from start: Int) -> Secret? {
    var at = start
    while at < bytes.count {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      guard WordComparison.isLetter(scalar) else {
        if scalar == 0x2D, let block = privateKey(bytes, at) { return block }
        at += length
        continue
      }
      var end = at + length
      while end < bytes.count {
        let (next, size) = UTF8Reader.scalar(bytes, end)
        guard WordComparison.isLetter(next) else { break }
        end += size
      }
      if bytes.count - at >= shortestKey, let key = prefixed(bytes, at) { return key }
      if end - at < 40, mayBegin(bytes, at), let word = words[TextKey.hash(bytes, .letters, in: at..<end)],
        let value = value(bytes, at..<end, word)
      {
        return Secret(value: value, word: UTF8Reader.string(bytes, at..<end), isKey: false)
      }
      at = end
    }
    return nil
  }

  /// Whether one of the words begins with the letter at `at`. Most words then need no look-up.
  private static func mayBegin(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
    switch bytes[at] | 0x20 {
    case UInt8(ascii: "p"), UInt8(ascii: "k"), UInt8(ascii: "c"), UInt8(ascii: "a"), UInt8(ascii: "t"),
      UInt8(ascii: "s"), UInt8(ascii: "b"):
      true
    // П and К, capital or small. Their second bytes differ in one bit.
    case 0xF0: at + 1 < bytes.count && (bytes[at + 1] | 0x20 == 0xBF || bytes[at + 1] | 0x20 == 0xBA)
    default: false
    }
  }

  // MARK: Keys

  /// The length of the shortest key, including its prefix.
  private static let shortestKey = 18

  private static func prefixed(_ bytes: Span<UInt8>, _ at: Int) -> Secret? {
    switch bytes[at] {
    case UInt8(ascii: "A"), UInt8(ascii: "g"), UInt8(ascii: "s"), UInt8(ascii: "r"), UInt8(ascii: "x"),
      UInt8(ascii: "e"):
      break
    default: return nil
    }
    for (text, rest) in prefixes where bytes[at] == text[0] && at + text.count + rest <= bytes.count {
      guard bytes.starts(with: text.span, at: at) else { continue }
      var end = at + text.count
      var dots = 0
      while end < bytes.count, end - at < 8192, isKeyPart(bytes[end]) {
        dots += bytes[end] == UInt8(ascii: ".") ? 1 : 0
        end += 1
      }
      // A JSON Web Token (JWT) has three segments.
      guard end - at - text.count >= rest, text[0] != UInt8(ascii: "e") || dots >= 2 else { continue }
      return Secret(value: at..<end, word: String(decoding: text, as: UTF8.self), isKey: true)
    }
    return nil
  }

  private static func isKeyPart(_ byte: UInt8) -> Bool {
    WordComparison.isLetter(UInt32(byte)) && byte < 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".")
  }

  private static func privateKey(_ bytes: Span<UInt8>, _ at: Int) -> Secret? {
    guard at + 28 < bytes.count, bytes.starts(with: "-----BEGIN ", at: at) else { return nil }
    let line = UTF8Reader.string(bytes, at..<min(at + 60, bytes.count))
    guard line.contains("PRIVATE KEY-----") else { return nil }
    return Secret(value: at..<at + 27, word: "-----BEGIN … PRIVATE KEY", isKey: true)
  }

  // MARK: Values

  private static func value(
    _ bytes: Span<UInt8>, _ word: Range<Int>, _ kind: Word
  ) -> Range<Int>? {
    if kind == .code, !mentionsLocks(bytes, word) { return nil }
    if kind == .key, !mentionsKeys(bytes, word) { return nil }
    let (start, isMarked) = valueStart(bytes, word.upperBound, kind)
    // Text that follows immediately is another component of a path.
    guard isMarked || start > word.upperBound else { return nil }
    var at = start
    while at < bytes.count, isWrapping(bytes[at]) { at += 1 }
    var end = at
    var digits = 0
    var letters = 0
    while end < bytes.count, end - at < 200, bytes[end] > 0x20, !ends(bytes[end]) {
      if bytes[end] &- 0x30 < 10 { digits += 1 } else if WordComparison.isLetter(UInt32(bytes[end])) { letters += 1 }
      end += 1
    }
    // Typographic quotes and full stops at the end do not belong to the value.
    while end > at, bytes[end - 1] == UInt8(ascii: ".") || bytes[end - 1] >= 0x80 { end -= 1 }
    guard end > at, !WebAddress.isWeb(bytes, at..<end) else { return nil }
    let isValue =
      switch kind {
      case .password: digits > 0 && (isMarked ? end - at >= 4 : end - at >= 6 && letters > 0)
      case .pin: digits >= 4 && digits <= 10 && letters == 0 && (isMarked || isCapital(bytes, word))
      case .code: digits >= 3 && digits <= 10 && letters <= 1
      case .key: digits > 0 && letters > 0 && end - at >= 8
      }
    return isValue ? at..<end : nil
  }

  /// Returns the start of the value: after a nearby colon or equals sign, otherwise after the word.
  private static func valueStart(
    _ bytes: Span<UInt8>, _ from: Int, _ kind: Word
  ) -> (Int, isMarked: Bool) {
    let limit = min(bytes.count, from + reach)
    var at = from
    search: while at < limit {
      switch bytes[at] {
      case UInt8(ascii: ":"), UInt8(ascii: "="): return (blanks(bytes, at + 1), true)
      case UInt8(ascii: "."), UInt8(ascii: ";"), UInt8(ascii: ","), 0x0A, 0x0D: break search
      case 0xE2 where at + 2 < limit && bytes[at + 1] == 0x80 && (0x93...0x94).contains(bytes[at + 2]):
        return (blanks(bytes, at + 3), true)
      case 0x20 where at + 3 < limit && bytes[at + 1] | 0x20 == 0x69 && bytes[at + 2] == 0x73 && bytes[at + 3] == 0x20:
        return (blanks(bytes, at + 4), true)
      // In “The code of the gate 2580”, the number after a few words is the value.
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if kind == .code, bytes[at - 1] == 0x20, at - from < 32 { return (at, false) }
        break search
      default: at += 1
      }
    }
    return (blanks(bytes, from), false)
  }

  private static func blanks(_ bytes: Span<UInt8>, _ from: Int) -> Int {
    var at = from
    while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
    return at
  }

  private static func isWrapping(_ byte: UInt8) -> Bool {
    byte == 0x22 || byte == 0x27 || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "(")
      || byte >= 0x80 && byte < 0xC3 || byte == 0xE2
  }

  private static func ends(_ byte: UInt8) -> Bool {
    byte == 0x22 || byte == UInt8(ascii: "`") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
      || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "<")
  }

  private static func isCapital(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Bool {
    let text = UTF8Reader.string(bytes, word)
    return text == text.uppercased()
  }

  private static func window(_ bytes: Span<UInt8>, _ word: Range<Int>) -> String {
    let start = max(0, word.lowerBound - reach)
    let end = min(bytes.count, word.upperBound + reach)
    return UTF8Reader.string(bytes, start..<end).lowercased()
  }

  private static func mentionsLocks(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Bool {
    let near = window(bytes, word)
    return locks.contains { near.contains($0) }
  }

  private static func mentionsKeys(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Bool {
    let text = UTF8Reader.string(bytes, word).lowercased()
    guard text == "key" else { return true }
    let before = UTF8Reader.string(bytes, max(0, word.lowerBound - 8)..<word.lowerBound).lowercased()
    return ["api", "wifi", "wi-fi", "wpa", "wlan", "wpa2"].contains { before.contains($0) }
  }
}
