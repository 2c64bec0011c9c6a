/// The bytes that matter when the wording of two strings is compared.
///
/// Case, blanks and punctuation are ignored in Latin and Cyrillic, and `ё` counts as `е`. A point, comma or minus that
/// belongs to a number is kept, and so are signs that have a meaning (`+`, `<`, `%`, `°`). The iteration allocates no
/// memory.
struct FoldedBytes: Sequence, IteratorProtocol {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  /// The second byte of a folded letter if it must still be returned, otherwise 0.
  private var pending: UInt8 = 0
  private var isAfterDigit = false

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func next() -> UInt8? {
    if pending != 0 {
      defer { pending = 0 }
      return pending
    }
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte < 0x80 {
        guard let folded = ascii(byte) else { continue }
        isAfterDigit = Self.isDigit(folded)
        return folded
      }
      isAfterDigit = false
      if let folded = wide(byte) { return folded }
    }
    return nil
  }

  private func ascii(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): return byte | 0x20
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return byte
    case UInt8(ascii: "."), UInt8(ascii: ","): return isAfterDigit && isBeforeDigit ? byte : nil
    case UInt8(ascii: "-"): return isBeforeDigit ? byte : nil
    case 0x00...0x20, UInt8(ascii: "!"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), 0x7F:
      return nil
    default: return byte
    }
  }

  private var isBeforeDigit: Bool { at < bytes.count && Self.isDigit(bytes[at]) }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Folds a two-byte letter, or skips a mark of two or three bytes. Returns nil if a mark was skipped.
  private mutating func wide(_ lead: UInt8) -> UInt8? {
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
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>, then more: UnsafeBufferPointer<UInt8>? = nil) -> UInt64? {
    var hash = FNVHash()
    let start = hash.value
    for byte in FoldedBytes(bytes) { hash.add(UInt64(byte)) }
    guard hash.value != start else { return nil }
    if let more {
      hash.add(0x1F)
      for byte in FoldedBytes(more) { hash.add(UInt64(byte)) }
    }
    return hash.value
  }

  /// Returns a hash of the beginning of a string. Strings with the same wording have equal hashes, and so do many other
  /// strings.
  static func beginning(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var number: UInt64 = 0
    var folded = FoldedBytes(bytes)
    // 20 bytes are ten Cyrillic characters.
    for _ in 0..<20 {
      guard let byte = folded.next() else { break }
      number = (number << 7 | number >> 57) ^ UInt64(byte)
    }
    return number
  }

  /// Whether two strings have the same wording.
  static func same(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    FoldedBytes(left).elementsEqual(FoldedBytes(right))
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
  static func stands(_ word: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, folding: Bool) -> Bool {
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
