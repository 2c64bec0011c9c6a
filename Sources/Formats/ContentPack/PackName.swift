/// Names of packs: lower-case letters, digits, dots and hyphens, at most 64 bytes.
public enum PackName {
  /// The maximum length of a name in bytes.
  public static let longest = 64

  /// Whether a string is a pack name: words of letters and digits, separated by single dots or hyphens.
  public static func isValid(_ text: String) -> Bool {
    var mayEnd = false
    for byte in text.utf8 {
      if isWord(byte) {
        mayEnd = true
      } else if mayEnd, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") {
        mayEnd = false
      } else {
        return false
      }
    }
    return mayEnd && text.utf8.count <= longest
  }

  /// Derives a name from a path: its last component, without the extension and without characters that are invalid in
  /// names. Returns `pack` if no characters remain.
  public static func of(path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    if let slash = bytes.lastIndex(of: UInt8(ascii: "/")) { bytes.removeFirst(slash + 1) }
    bytes = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    for ending in [".fleetpack", ".tar.zst", ".tar.gz", ".tgz", ".zip"] where bytes.count > ending.utf8.count {
      if bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
        bytes.removeLast(ending.utf8.count)
        break
      }
    }
    var name: [UInt8] = []
    var gap: UInt8?
    for byte in bytes where name.count < longest {
      if isWord(byte) {
        if let gap, !name.isEmpty { name.append(gap) }
        gap = nil
        name.append(byte)
      } else {
        gap = byte == UInt8(ascii: ".") && gap == nil ? byte : UInt8(ascii: "-")
      }
    }
    name = Array(name.prefix(longest))
    while let last = name.last, !isWord(last) { name.removeLast() }
    return name.isEmpty ? "pack" : String(decoding: name, as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}

/// The version of a pack's content.
///
/// Two versions are equal if their strings are equal. `precedes` decides which of two versions is newer, and ignores
/// the build metadata after `+`.
/// - Source: Semantic Versioning 2.0.0
public struct SemanticVersion: Sendable, Hashable, CustomStringConvertible {
  /// The version as it is written in the source.
  public let text: String

  /// The maximum length of a version in bytes.
  static let longest = 64

  /// The three numbers, as digits, because a number may have any length.
  private let numbers: [[UInt8]]
  private let words: [[UInt8]]

  /// Parses a version; returns nil if the string is not a semantic version.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest else { return nil }
    let plus = bytes.firstIndex(of: UInt8(ascii: "+")) ?? bytes.count
    let hyphen = bytes[..<plus].firstIndex(of: UInt8(ascii: "-")) ?? plus
    numbers = Self.parts(bytes[..<hyphen])
    words = hyphen < plus ? Self.parts(bytes[(hyphen + 1)..<plus]) : []
    let build = plus < bytes.count ? Self.parts(bytes[(plus + 1)...]) : []
    guard numbers.count == 3, numbers.allSatisfy(Self.isNumber), words.allSatisfy(Self.isWord),
      build.allSatisfy(Self.isBuildWord)
    else { return nil }
    self.text = text
  }

  /// The version as a string.
  public var description: String { text }

  /// Whether the other version is newer.
  public func precedes(_ other: SemanticVersion) -> Bool {
    for (mine, theirs) in zip(numbers, other.numbers) where mine != theirs { return Self.isLess(mine, theirs) }
    // 1.0.0-beta comes before 1.0.0.
    if words.isEmpty || other.words.isEmpty { return !words.isEmpty && other.words.isEmpty }
    for (mine, theirs) in zip(words, other.words) where mine != theirs {
      switch (Self.isDigits(mine), Self.isDigits(theirs)) {
      case (true, true): return Self.isLess(mine, theirs)
      case (true, false): return true
      case (false, true): return false
      case (false, false): return mine.lexicographicallyPrecedes(theirs)
      }
    }
    return words.count < other.words.count
  }

  /// Whether two versions have the same bytes.
  public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  /// Hashes the version's string.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  // MARK: Parts

  private static func parts(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
  }

  private static func isDigits(_ part: [UInt8]) -> Bool {
    !part.isEmpty && part.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  private static func isNumber(_ part: [UInt8]) -> Bool { isDigits(part) && (part.count == 1 || part[0] != 0x30) }

  private static func isWord(_ part: [UInt8]) -> Bool { isBuildWord(part) && (!isDigits(part) || isNumber(part)) }

  private static func isBuildWord(_ part: [UInt8]) -> Bool {
    !part.isEmpty
      && part.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Whether a number is less than another one. Numbers have no leading zeros, so the longer number is greater.
  private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
  }
}
