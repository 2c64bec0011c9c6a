import Diagnostics

/// A word does not occur twice in a row.
///
/// Doubled words are often left behind when a sentence is edited. Words that people repeat on purpose (“very very”,
/// “чуть чуть”, “Mayday Mayday”), names, and words with a comma between them are not reported. Only text in English,
/// Russian and Ukrainian is checked, because doubled words can be correct in other languages.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Gas", "content_data": {"sections": [{"title": "Galley", "items": [
///   {"title": "Close the the bottle"}, {"title": "Open the valve valve."}]}]}}
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Якорь", "language": "ru", "content_data": {
///   "markdown": "Цепь держат на на стопоре.\n"}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Bora Bora", "content_data": {"sections": [{"title": "PAN PAN", "items": [
///   {"title": "Over, over and out"}, {"title": "Channel 16 16"}, {"title": "Pull very very slowly, bit by bit"},
///   {"title": "Hard hard hard astern"}, {"title": "Чуть чуть приоткрыть, а а потом закрыть"}]}]}}
/// ```
struct NoDoubledWord: Rule {
  static let code = DiagnosticCode(
    "LNT0414", "doubled-word", .note, "A word occurs twice in a row.",
    why: "readers stop and wonder whether another word was meant", fix: "delete one of the two words")

  /// Words that people repeat on purpose.
  private static let wanted: Set<String> = [
    "had", "that", "very", "really", "so", "bye", "no", "yes", "ha", "tut", "knock", "beep", "click", "mayday", "pan",
    "securite", "over", "out", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "niner",
    "far", "long", "many", "much", "more", "again", "now", "slowly", "her", "blah", "bora",
    "easy", "go", "quick", "well", "there", "round", "half", "friends", "хорошо", "очень", "чуть", "еле", "едва", "вот",
    "да",
    "нет", "ну", "тихо", "быстро", "медленно", "еще", "ещё", "много", "далеко", "долго", "давно", "точь",
    "так", "туда", "сюда", "ноль", "один", "два", "три", "раз", "пан", "мэйдэй", "мейдей",
    "крепко", "осторожно", "плавно", "прием", "приём", "ледь", "дуже", "ось",
  ]

  /// One-letter words that are never names. Any other single letter may be a name, as in “a a”.
  private static let short: Set<String> = ["и", "в", "с", "к", "о", "у"]

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    if let language = item.language, language.kind == .string, !Self.isLookedAt(language.inner.span) { return }
    for text in item.texts where text.role != .tag {
      guard let first = Self.next(in: text.bytes.span, from: 0) else { continue }
      // Further doubled words are counted only if the message is shown.
      report.finding(
        "\(Quotation.of(text.bytes.span, first)) has the same word twice\(Quotation.more(Self.count(text.bytes.span, first)))",
        at: text.node, in: first)
    }
  }

  /// Returns the number of doubled words after the first one.
  private static func count(_ bytes: Span<UInt8>, _ first: Range<Int>) -> Int {
    var count = 0
    var last = first
    while let found = next(in: bytes, from: last.upperBound) {
      count += 1
      last = found
    }
    return count
  }

  private static func isLookedAt(_ tag: Span<UInt8>) -> Bool {
    guard tag.count >= 2, tag.count == 2 || tag[2] == UInt8(ascii: "-") || tag[2] == UInt8(ascii: "_") else {
      return tag.isEmpty
    }
    switch (tag[0] | 0x20, tag[1] | 0x20) {
    case (0x65, 0x6E), (0x72, 0x75), (0x75, 0x6B): return true
    default: return false
    }
  }

  /// Returns the range of the first two equal adjacent words after `from`. Reads eight bytes at a time.
  private static func next(in bytes: Span<UInt8>, from: Int) -> Range<Int>? {
    let count = bytes.count
    let ones: UInt64 = 0x0101_0101_0101_0101
    var previous = from
    var start = from
    var at = from
    while at < count {
      // A mask with the high bit set in every byte that is a blank, that is, an ASCII byte below 0x21.
      var blanks: UInt64
      if at + 8 <= count {
        let word = bytes.word(at: at)
        blanks = ~((word & (ones &* 0x7F)) &+ (ones &* 0x5F) | word) & (ones &* 0x80)
      } else {
        blanks = 0
        for index in at..<count where bytes[index] <= 0x20 { blanks |= 0x80 << UInt64(8 * (index - at)) }
      }
      while blanks != 0 {
        let end = at + blanks.trailingZeroBitCount / 8
        blanks &= blanks - 1
        if isPair(bytes, previous, start, end) { return previous..<start + (start - previous - 1) }
        previous = start
        start = end + 1
      }
      at += 8
    }
    return isPair(bytes, previous, start, count) ? previous..<start + (start - previous - 1) : nil
  }

  /// Whether two adjacent words have the same length, have the same ending, and are equal in a full comparison.
  @inline(__always) private static func isPair(
    _ bytes: Span<UInt8>, _ first: Int, _ second: Int, _ end: Int
  ) -> Bool {
    let length = second - first - 1
    return length > 1 && end - second >= length && (bytes[second - 2] ^ bytes[second + length - 1]) & 0x0F == 0
      && (bytes[first + 1] ^ bytes[second + 1]) & 0x0F == 0 && bytes[second - 1] == 0x20
      && same(bytes, first, second, length, end)
  }

  private static func same(
    _ bytes: Span<UInt8>, _ first: Int, _ second: Int, _ length: Int, _ end: Int
  ) -> Bool {
    // A longer sequence of bytes is not a word.
    guard length < 80 else { return false }
    // ASCII bytes that differ by more than case also differ in lower case.
    for at in 0..<length {
      let (one, two) = (bytes[first + at], bytes[second + at])
      if one | two < 0x80, (one ^ two) & ~0x20 != 0 { return false }
    }
    // A comma, a full stop or a bracket may follow. Any other character makes it a different word.
    for at in second + length..<max(end, second + length) where !isClosing(bytes[at]) { return false }
    guard let one = word(bytes, first..<first + length), let two = word(bytes, second..<second + length),
      one.lowercased() == two.lowercased(), one.count > 1 || short.contains(two)
    else { return false }
    // A capital marks a name (“Bora Bora”) or a call (“PAN PAN”).
    if two.first?.isUppercase ?? false { return false }
    if wanted.contains(two) { return false }
    // A word that occurs three times in a row is intended.
    return !isWord(two, bytes, at: end + 1, length) && !isWord(two, bytes, at: first - 1 - length, length)
  }

  private static func isWord(
    _ word: String, _ bytes: Span<UInt8>, at start: Int, _ length: Int
  ) -> Bool {
    start >= 0 && start + length <= bytes.count && self.word(bytes, start..<start + length)?.lowercased() == word
  }

  private static func isClosing(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "!"),
      UInt8(ascii: "?"), UInt8(ascii: ")"):
      true
    default: false
    }
  }

  /// Returns a word of Latin or Cyrillic letters; nil for other bytes.
  private static func word(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
    for at in range {
      let byte = bytes[at]
      guard (0x61...0x7A).contains(byte | 0x20) || (0xD0...0xD2).contains(byte) || (0x80..<0xC0).contains(byte) else {
        return nil
      }
    }
    return bytes.extracting(range).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
  }
}
