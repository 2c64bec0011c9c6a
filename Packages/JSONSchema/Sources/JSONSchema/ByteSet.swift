/// A set of bytes with which a match may begin.
struct ByteSet: Hashable {
  /// One bit for each byte, in words of 64.
  fileprivate var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// Creates an empty set.
  init() {}

  /// All bytes.
  static var all: ByteSet {
    var set = ByteSet()
    set.words = (.max, .max, .max, .max)
    return set
  }

  /// Returns whether a byte is in the set.
  @inline(__always) func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return word >> UInt64(byte & 63) & 1 == 1
  }

  /// Adds a byte.
  mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  /// Adds all bytes of another set.
  mutating func formUnion(_ other: ByteSet) {
    words.0 |= other.words.0
    words.1 |= other.words.1
    words.2 |= other.words.2
    words.3 |= other.words.3
  }

  /// The only byte in the set; nil if the set does not have exactly one byte.
  var onlyByte: UInt8? {
    let members = (UInt8.min...UInt8.max).filter(contains)
    return members.count == 1 ? members[0] : nil
  }

  static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension RegexNode {
  /// The bytes with which a match can begin when reading forward; nil if the match may be empty. In doubtful cases,
  /// this is a superset.
  var firstBytes: ByteSet? {
    var visits = 1000
    let (bytes, canBeEmpty) = leadingBytes(&visits)
    return canBeEmpty ? nil : bytes
  }

  /// Visits at most `visits` nodes, because nested groups ask for the same nodes again.
  private func leadingBytes(_ visits: inout Int) -> (ByteSet, canBeEmpty: Bool) {
    visits -= 1
    if visits < 0 { return (.all, true) }
    switch self {
    case .scalar(let scalar):
      var set = ByteSet()
      set.insert(UTF8Scalar.leadByte(of: scalar))
      return (set, false)
    case .set(let members): return (members.leadBytes, false)
    case .sequence(let parts):
      var set = ByteSet()
      for part in parts {
        let (bytes, canBeEmpty) = part.leadingBytes(&visits)
        set.formUnion(bytes)
        if !canBeEmpty { return (set, false) }
      }
      return (set, true)
    case .alternatives(let parts):
      var set = ByteSet()
      var anyEmpty = false
      for part in parts {
        let (bytes, canBeEmpty) = part.leadingBytes(&visits)
        set.formUnion(bytes)
        anyEmpty = anyEmpty || canBeEmpty
      }
      return (set, anyEmpty)
    case .group(let body, _): return body.leadingBytes(&visits)
    case .repetition(let body, let quantifier, _):
      if quantifier.most == 0 { return (ByteSet(), true) }
      let (bytes, canBeEmpty) = body.leadingBytes(&visits)
      return (bytes, canBeEmpty || quantifier.least == 0)
    case .backreference: return (.all, true)
    case .empty, .start, .end, .wordBoundary, .look: return (ByteSet(), true)
    }
  }
}

extension ScalarClass {
  /// The bytes with which the UTF-8 of a member can begin.
  fileprivate var leadBytes: ByteSet {
    var set = ByteSet()
    (set.words.0, set.words.1) = asciiBits
    if !properties.isEmpty {
      for byte in UInt8(0xC2)...0xF4 { set.insert(byte) }
      return set
    }
    for range in normalized where range.upperBound >= 0x80 {
      for byte in UTF8Scalar.leadByte(of: max(0x80, range.lowerBound))...UTF8Scalar.leadByte(of: range.upperBound) {
        set.insert(byte)
      }
    }
    return set
  }
}
