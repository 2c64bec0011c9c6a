/// A property of code points that `\p{…}` can name.
enum UnicodeProperty: Sendable {
  /// A property whose code points are given as ranges.
  case ranges([ClosedRange<UInt32>])
  /// A property that the standard library determines for each code point.
  case asked(@Sendable (Unicode.Scalar.Properties) -> Bool)

  /// Returns whether a code point has the property. Surrogates have no properties.
  func contains(_ scalar: UInt32) -> Bool {
    switch self {
    case .ranges(let ranges): UnicodeRanges.contains(ranges, scalar)
    case .asked(let question): Unicode.Scalar(scalar).map { question($0.properties) } ?? false
    }
  }

  /// Returns the property named in the braces of `\p{…}`, or nil if the name is unknown. ECMA-262 accepts a name only
  /// with the same capitals as in the Unicode Character Database.
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
