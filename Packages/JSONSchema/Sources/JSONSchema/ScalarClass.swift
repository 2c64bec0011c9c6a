/// A set of code points that is used while an expression is compiled. It consists of ranges, and of properties that are
/// queried for each code point.
///
/// Properties are not converted to ranges, because that would require querying each property for a million code points.
struct ScalarClass {
  /// The last code point.
  static let lastScalar: UInt32 = 0x10FFFF

  /// Ranges of code points in the set, in any order and possibly overlapping.
  private(set) var ranges: [ClosedRange<UInt32>] = []
  /// Properties whose code points are in the set. If `negated` is true, the code points without the property are in the
  /// set instead.
  private(set) var properties: [(property: AskedProperty, negated: Bool)] = []
  /// The number of ranges when they were merged.
  private var mergedCount = 0
  /// Whether the set contains all code points except those in `ranges` and `properties`.
  var inverted = false

  /// Creates an empty set.
  init() {}

  /// Creates the set of one range.
  init(_ range: ClosedRange<UInt32>) { ranges = [range] }

  /// Creates the set of some ranges.
  init(ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

  /// Adds a range.
  mutating func add(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  /// Adds the code points with a property or, if `negated` is true, all other code points.
  mutating func add(_ property: UnicodeProperty, negated: Bool) {
    switch property {
    case .ranges(let members): add(negated ? Self.complement(of: members) : members)
    case .asked(let asked): add(asked, negated: negated)
    }
  }

  /// Adds a property once.
  mutating func add(_ property: AskedProperty, negated: Bool) {
    if properties.contains(where: { $0.property === property && $0.negated == negated }) { return }
    properties.append((property, negated))
  }

  /// Adds ranges. Many overlapping ranges are merged, so that repeating a property takes no memory.
  mutating func add(_ members: [ClosedRange<UInt32>]) {
    if ranges.isEmpty { return ranges = members }
    ranges += members
    if ranges.count > mergedCount * 2 + 1000 {
      ranges = Self.merged(ranges)
      mergedCount = ranges.count
    }
  }

  /// Adds all code points of another set. Returns false and changes nothing if ranges and properties cannot express the
  /// result.
  mutating func add(_ other: ScalarClass) -> Bool {
    guard !inverted else { return false }
    if other.inverted {
      guard other.properties.isEmpty else { return false }
      add(Self.complement(of: other.ranges))
    } else {
      add(other.ranges)
      for (property, negated) in other.properties { add(property, negated: negated) }
    }
    return true
  }

  /// The ranges in order, with a gap between any two of them. If the set is inverted and has no properties, these are
  /// the ranges of the complement.
  var normalized: [ClosedRange<UInt32>] {
    inverted && properties.isEmpty ? Self.complement(of: ranges) : Self.merged(ranges)
  }

  /// The members below 64, and the members from 64 to 127, as bits.
  var asciiBits: (low: UInt64, high: UInt64) {
    var bits: (low: UInt64, high: UInt64) = (0, 0)
    func insert(_ scalar: UInt32) {
      if scalar < 64 { bits.low |= 1 << UInt64(scalar) } else { bits.high |= 1 << UInt64(scalar & 63) }
    }
    for range in ranges where range.lowerBound < 0x80 {
      for scalar in range.lowerBound...min(range.upperBound, 0x7F) { insert(scalar) }
    }
    for (property, negated) in properties {
      bits.low |= negated ? ~property.asciiBits.low : property.asciiBits.low
      bits.high |= negated ? ~property.asciiBits.high : property.asciiBits.high
    }
    return inverted ? (~bits.low, ~bits.high) : bits
  }

  /// Sorts ranges and joins ranges that overlap or touch.
  static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound &+ 1 {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// Returns all code points outside `ranges`.
  static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in merged(ranges) {
      if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= lastScalar { result.append(next...lastScalar) }
    return result
  }
}

extension ScalarClass {
  /// The members of `\d`: ASCII digits.
  static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
  /// The members of `\w`: ASCII letters and digits, and the underscore.
  static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
  /// The members of `\s`: ECMA-262's WhiteSpace and LineTerminator.
  static let space: [ClosedRange<UInt32>] = [
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ]
  /// The characters that `.` does not match.
  static let lineTerminators: [ClosedRange<UInt32>] = [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]
}

/// Reads code points in UTF-8, forwards and backwards. No bytes outside the text are read, even if the text is invalid.
enum UTF8Scalar {
  /// Returns the first byte of a code point's UTF-8.
  static func leadByte(of scalar: UInt32) -> UInt8 {
    switch scalar {
    case ..<0x80: UInt8(scalar)
    case ..<0x800: UInt8(0xC0 | scalar >> 6)
    case ..<0x10000: UInt8(0xE0 | scalar >> 12)
    default: UInt8(0xF0 | (scalar >> 18) & 7)
    }
  }

  /// Reads the code point at `position`, which must be before the end, and returns it with the position of the next
  /// code point.
  @inline(__always) static func decode(_ text: Span<UInt8>, _ position: Int) -> (scalar: UInt32, next: Int) {
    let first = UInt32(text[position])
    if first < 0x80 { return (first, position + 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    // Text that is not UTF-8 violates the caller's contract, but must still not be read beyond its end.
    guard position + length <= text.count else { return (first, position + 1) }
    var scalar = first & (0x7F >> UInt32(length))
    for index in 1..<length { scalar = scalar << 6 | UInt32(text[position + index]) & 0x3F }
    return (scalar, position + length)
  }

  /// Returns the start of the code point that ends at `position`, which must be greater than 0.
  @inline(__always) static func previous(_ text: Span<UInt8>, _ position: Int) -> Int {
    var start = position - 1
    while start > 0, position - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }
}
