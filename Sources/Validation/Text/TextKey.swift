/// Hashes that are equal for strings that people consider equal.
///
/// Two different strings may share a hash (64 bits, not cryptographic). Before removing a string because of its hash,
/// compare the folded strings.
package enum TextKey {
  /// The differences that are ignored in a comparison.
  package enum Form {
    /// Ignores case and the word separators: spaces, hyphens and underscores are equal.
    case words
    /// Ignores all characters except letters and digits, for links, file names and anchors made from titles.
    case letters
  }

  /// Returns the hash of text, or of a range of its bytes.
  package static func hash(_ bytes: Span<UInt8>, _ form: Form, in range: Range<Int>? = nil) -> UInt64 {
    var hash = FNVHash()
    let done = fold(bytes, form, range ?? 0..<bytes.count) { hash.add(UInt64($0)) }
    if done { return hash.value }
    return composedHash(UTF8Reader.string(bytes, range ?? 0..<bytes.count), form)
  }

  /// Returns the hash of text.
  package static func hash(_ text: String, _ form: Form) -> UInt64 { hash(text.utf8.span, form) }

  /// Returns the hash of text as written, byte for byte.
  static func exact(_ bytes: Span<UInt8>) -> UInt64 {
    var hash = FNVHash()
    for index in bytes.indices { hash.add(UInt64(bytes[index])) }
    return hash.value
  }

  /// Returns the folded text for a comparison.
  static func folded(_ text: String, _ form: Form) -> String {
    var scalars = String.UnicodeScalarView()
    let text = NormalForm.composed(text)
    _ = fold(text.utf8.span, form, 0..<text.utf8.count, composed: true) { value in
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    return String(scalars)
  }

  /// Combines two hashes, for a heading in a guide.
  static func pair(_ first: UInt64, _ second: UInt64) -> UInt64 {
    (first ^ (second &* 0x9E37_79B9_7F4A_7C15)) &* 0x100_0000_01B3 ^ (second >> 29)
  }

  private static func composedHash(_ text: String, _ form: Form) -> UInt64 {
    var hash = FNVHash()
    let text = NormalForm.composed(text)
    _ = fold(text.utf8.span, form, 0..<text.utf8.count, composed: true) { hash.add(UInt64($0)) }
    return hash.value
  }

  /// Calls `body` with folded scalars. Returns false if the text must first be composed because it has a combining
  /// mark.
  @inline(__always) private static func fold(
    _ bytes: Span<UInt8>, _ form: Form, _ range: Range<Int>, composed: Bool = false,
    _ body: (UInt32) -> Void
  ) -> Bool {
    var at = range.lowerBound
    var isApart = false
    var hasBegun = false
    while at < range.upperBound {
      var (value, length) = UTF8Reader.scalar(bytes, at)
      at += length
      if value >= 0x80 {
        if !composed, (0x300..<0x370).contains(value) { return false }
        value = lowered(value)
      } else if value >= 0x41, value <= 0x5A {
        value += 0x20
      }
      if isSeparator(value) {
        isApart = true
        continue
      }
      if form == .letters {
        if !isLetter(value) { continue }
      } else if isApart, hasBegun {
        body(0x20)
      }
      isApart = false
      hasBegun = true
      body(value)
    }
    return true
  }

  @inline(__always) private static func isSeparator(_ value: UInt32) -> Bool {
    value == 0x20 || value == 0x2D || value == 0x5F || (0x09...0x0D).contains(value) || value == 0xA0
  }

  @inline(__always) private static func isLetter(_ value: UInt32) -> Bool {
    if value < 0x80 { return value >= 0x61 && value <= 0x7A || value >= 0x30 && value <= 0x39 }
    return value >= 0xC0 && !(0x2000..<0x2070).contains(value)
  }

  /// Returns a letter in lower case.
  private static func lowered(_ value: UInt32) -> UInt32 {
    switch value {
    case 0x80..<0xC0, 0x2000..<0x2100: return value
    case 0xC0...0xDE: return value == 0xD7 ? value : value + 0x20
    case 0xDF..<0x100: return value
    case 0x410...0x42F: return value + 0x20
    case 0x430...0x44F: return value
    case 0x400...0x40F: return value + 0x50
    default:
      guard let scalar = Unicode.Scalar(value) else { return value }
      let small = scalar.properties.lowercaseMapping.unicodeScalars
      return small.count == 1 ? small.first?.value ?? value : value
    }
  }
}

/// A fast hash for short strings (FNV-1a, 64 bits). It is the same in every run and does not resist attacks.
///
/// Values that share a hash are compared in full, or a finding is missed. A collision never causes a false finding.
package struct FNVHash {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Makes the hash of an empty sequence.
  package init() {}

  /// Adds the next byte or scalar.
  @inline(__always) package mutating func add(_ next: UInt64) { value = (value ^ next) &* 0x100_0000_01B3 }
}

/// Reads Unicode scalars from UTF-8 bytes, one at a time.
enum UTF8Reader {
  /// Returns the scalar that begins at `at` and its length in bytes. A byte that is not valid UTF-8 counts as U+FFFD
  /// with a length of one byte.
  @inline(__always) static func scalar(_ bytes: Span<UInt8>, _ at: Int) -> (value: UInt32, length: Int) {
    let first = bytes[at]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5, at + length <= bytes.count else { return (0xFFFD, 1) }
    var value = UInt32(first) & (0xFF >> UInt32(length + 1))
    for offset in 1..<length {
      let next = bytes[at + offset]
      guard next & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      value = value << 6 | UInt32(next & 0x3F)
    }
    return (value, length)
  }

  /// Returns the start of the scalar that ends before `at`; `at` itself at the start of the text.
  @inline(__always) static func before(_ bytes: Span<UInt8>, _ at: Int) -> Int {
    var start = at
    while start > 0 {
      start -= 1
      if bytes[start] & 0xC0 != 0x80 || at - start >= 4 { break }
    }
    return start
  }

  /// Returns a byte range as a string.
  static func string(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    String(decoding: bytes.extracting(range))
  }

  /// Returns the name used in Unicode's charts, such as `U+202E`.
  static func name(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

// Foundation has the tables of Unicode's normal forms. Only text with combining marks is processed here.
import Foundation

/// Unicode's composed form (NFC), in which й is one scalar instead of two.
package enum NormalForm {
  /// The minimum number of scalars in a piece that is composed separately.
  private static let piece = 64
  /// The maximum number of scalars in a piece. Foundation's running time grows with the square of a piece's length.
  private static let longest = 512

  /// Returns the text in composed form.
  ///
  /// The time is linear in the length, because the text is composed in pieces. A piece begins at a character that never
  /// composes with the previous one. A stretch of more than 512 scalars without such a character, which no language
  /// has, is left unchanged.
  package static func composed(_ text: String) -> String {
    var composed = ""
    composed.reserveCapacity(text.utf8.count)
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    var count = 0
    func appendPiece(upTo end: String.Index) {
      let piece = String(scalars[start..<end])
      composed += count > longest ? piece : piece.precomposedStringWithCanonicalMapping
      start = end
      count = 0
    }
    var index = start
    while index < scalars.endIndex {
      if count >= piece, canCut(before: scalars[index]) { appendPiece(upTo: index) }
      count += 1
      scalars.formIndex(after: &index)
    }
    appendPiece(upTo: scalars.endIndex)
    return composed
  }

  /// Whether a character is a starter that does not compose with a preceding character.
  private static func canCut(before scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300, 0x3400..<0xA000, 0xAC00..<0xD7A4: return true
    case 0x300..<0x370: return false
    default:
      let category = scalar.properties.generalCategory
      return category == .lowercaseLetter || category == .uppercaseLetter || category == .spaceSeparator
    }
  }
}
