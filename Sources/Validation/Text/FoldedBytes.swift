/// The bytes of a text that matter for comparing the wording of two texts.
///
/// Case, blanks and punctuation are left out for Latin and Cyrillic; `ё` counts as `е`. A point, comma or minus that
/// belongs to a number stays, and so do signs that carry meaning (`+`, `<`, `%`, `°`). Allocates nothing.
struct FoldedBytes: Sequence, IteratorProtocol {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  /// The second byte of a folded letter that is still to be returned, or 0.
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

  /// Folds a letter of two bytes, or leaves out a mark of two or three; nil if it was left out.
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
  /// A hash of a text's folded bytes, or nil for no bytes. Equal texts have equal hashes, and different texts may have
  /// them too.
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

  /// A hash of the beginning of a text: equal for texts with the same wording, and for many others.
  static func beginning(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var number: UInt64 = 0
    var folded = FoldedBytes(bytes)
    // Ten characters in Cyrillic.
    for _ in 0..<20 {
      guard let byte = folded.next() else { break }
      number = (number << 7 | number >> 57) ^ UInt64(byte)
    }
    return number
  }

  /// Whether two texts have the same wording.
  static func same(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    FoldedBytes(left).elementsEqual(FoldedBytes(right))
  }
}
