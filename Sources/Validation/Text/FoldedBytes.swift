/// The bytes that matter when the wording of two strings is compared.
///
/// Case, blanks and punctuation are ignored in Latin and Cyrillic, and `ё` counts as `е`. A point, comma or minus that
/// belongs to a number is kept, and so are signs that have a meaning (`+`, `<`, `%`, `°`). Reading them allocates no
/// memory.
struct FoldedBytes {
  private var at = 0
  /// The second byte of a folded letter if it must still be returned, otherwise 0.
  private var pending: UInt8 = 0
  private var isAfterDigit = false

  /// Returns the next folded byte; nil at the end. Every call needs the same bytes.
  private mutating func next(in bytes: Span<UInt8>) -> UInt8? {
    if pending != 0 {
      defer { pending = 0 }
      return pending
    }
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte < 0x80 {
        guard let folded = ascii(byte, bytes) else { continue }
        isAfterDigit = Self.isDigit(folded)
        return folded
      }
      isAfterDigit = false
      if let folded = wide(byte, bytes) { return folded }
    }
    return nil
  }

  private func ascii(_ byte: UInt8, _ bytes: Span<UInt8>) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): return byte | 0x20
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return byte
    case UInt8(ascii: "."), UInt8(ascii: ","): return isAfterDigit && isBeforeDigit(bytes) ? byte : nil
    case UInt8(ascii: "-"): return isBeforeDigit(bytes) ? byte : nil
    case 0x00...0x20, UInt8(ascii: "!"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), 0x7F:
      return nil
    default: return byte
    }
  }

  private func isBeforeDigit(_ bytes: Span<UInt8>) -> Bool { at < bytes.count && Self.isDigit(bytes[at]) }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Folds a two-byte letter, or skips a mark of two or three bytes. Returns nil if a mark was skipped.
  private mutating func wide(_ lead: UInt8, _ bytes: Span<UInt8>) -> UInt8? {
    guard at < bytes.count else { return lead }
    let trail = bytes[at]
    switch (lead, trail) {
    case (0xD0, 0x81), (0xD1, 0x91): return two(0xD0, 0xB5)  // Ё, ё
    case (0xD0, 0x90...0x9F): return two(0xD0, trail + 0x20)
    case (0xD0, 0xA0...0xAF): return two(0xD1, trail - 0x20)
    case (0xC3, 0x80...0x9E) where trail != 0x97: return two(0xC3, trail + 0x20)
    case (0xC2, 0xA0), (0xC2, 0xAB), (0xC2, 0xBB), (0xC2, 0xB7):  // no-break space, « » ·
      at += 1
      return nil
    case (0xE2, 0x80) where at + 1 < bytes.count && bytes[at + 1] < 0xB0:  // dashes, quotation marks, spaces, …
      at += 2
      return nil
    default: return lead
    }
  }

  private mutating func two(_ first: UInt8, _ second: UInt8) -> UInt8 {
    at += 1
    pending = second
    return first
  }
}

extension FoldedBytes {
  /// Returns a hash of the folded bytes; nil if there are no folded bytes. Strings with equal wording have equal
  /// hashes, and different strings may also have equal hashes.
  static func hash(_ bytes: Span<UInt8>, then more: OutlineText? = nil) -> UInt64? {
    var hash = FNVHash()
    let start = hash.value
    add(bytes, to: &hash)
    guard hash.value != start else { return nil }
    if let more {
      hash.add(0x1F)
      add(more.bytes.span, to: &hash)
    }
    return hash.value
  }

  private static func add(_ bytes: Span<UInt8>, to hash: inout FNVHash) {
    var folded = FoldedBytes()
    while let byte = folded.next(in: bytes) { hash.add(UInt64(byte)) }
  }

  /// Returns a hash of the beginning of a string. Strings with the same wording have equal hashes, and so do many other
  /// strings.
  static func beginning(_ bytes: Span<UInt8>) -> UInt64 {
    var number: UInt64 = 0
    var folded = FoldedBytes()
    // 20 bytes are ten Cyrillic characters.
    for _ in 0..<20 {
      guard let byte = folded.next(in: bytes) else { break }
      number = (number << 7 | number >> 57) ^ UInt64(byte)
    }
    return number
  }

  /// Whether two strings have the same wording.
  static func same(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    var (first, second) = (FoldedBytes(), FoldedBytes())
    while let byte = first.next(in: left) {
      if second.next(in: right) != byte { return false }
    }
    return second.next(in: right) == nil
  }
}

/// Compares words in UTF-8 bytes.
enum WordComparison {
  /// Whether a scalar is a letter or digit of any script.
  @inline(__always) static func isLetter(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar | 0x20 >= 0x61 && scalar | 0x20 <= 0x7A || scalar >= 0x30 && scalar <= 0x39 }
    return scalar >= 0xC0 && !(0x2000..<0x2C00).contains(scalar)
  }

  /// Whether the text has the ASCII word `word` at `at`, not immediately followed by a letter.
  static func occurs(_ word: [UInt8], _ bytes: Span<UInt8>, _ at: Int, folding: Bool) -> Bool {
    guard at + word.count <= bytes.count else { return false }
    for (index, expected) in word.enumerated() {
      var byte = bytes[at + index]
      if folding, byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
      if byte != expected { return false }
    }
    guard at + word.count < bytes.count, isLetter(UInt32(word[word.count - 1])) else { return true }
    return !isLetter(UTF8Reader.scalar(bytes, at + word.count).value)
  }
}
