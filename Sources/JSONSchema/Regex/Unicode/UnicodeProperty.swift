/// A property of code points that `\p{…}` can name.
enum UnicodeProperty: Sendable {
  /// One whose code points are known as ranges.
  case ranges([ClosedRange<UInt32>])
  /// One that the standard library answers for each code point.
  case asked(@Sendable (Unicode.Scalar.Properties) -> Bool)

  /// Whether a code point has the property. Surrogates have none.
  func contains(_ scalar: UInt32) -> Bool {
    switch self {
    case .ranges(let ranges): UnicodeRanges.contains(ranges, scalar)
    case .asked(let question): Unicode.Scalar(scalar).map { question($0.properties) } ?? false
    }
  }

  /// The property that the text between the braces of `\p{…}` names, or nil. ECMA-262 takes names only as they are
  /// written in the Unicode Character Database, capitals included.
  static func named(_ text: String) -> UnicodeProperty? {
    guard let equals = text.firstIndex(of: "=") else {
      return GeneralCategories.property(text) ?? BinaryProperties.property(text)
    }
    let value = text[text.index(after: equals)...]
    switch text[..<equals] {
    case "General_Category", "gc": return GeneralCategories.property(String(value))
    case "Script", "sc": return Scripts.ranges(of: value).map(UnicodeProperty.ranges)
    case "Script_Extensions", "scx": return Scripts.extendedRanges(of: value).map(UnicodeProperty.ranges)
    default: return nil
    }
  }
}
