/// A property of code points that `\p{…}` can name.
enum UnicodeProperty: Sendable {
  /// A property whose code points are given as ranges.
  case ranges([ClosedRange<UInt32>])
  /// A property that the standard library determines for each code point.
  case asked(AskedProperty)

  /// Returns whether a code point has the property. Surrogates have no properties.
  func contains(_ scalar: UInt32) -> Bool {
    switch self {
    case .ranges(let ranges): UnicodeRanges.contains(ranges, scalar)
    case .asked(let asked): asked.contains(scalar)
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

/// A property that the standard library determines. There is one object for each name.
final class AskedProperty: Sendable {
  private let question: @Sendable (Unicode.Scalar.Properties) -> Bool
  /// The members below 64, and the members from 64 to 127, as bits.
  let asciiBits: (low: UInt64, high: UInt64)

  init(_ question: @escaping @Sendable (Unicode.Scalar.Properties) -> Bool) {
    self.question = question
    var bits: (low: UInt64, high: UInt64) = (0, 0)
    for scalar in UInt8(0)..<0x80 where question(Unicode.Scalar(scalar).properties) {
      if scalar < 64 { bits.low |= 1 << UInt64(scalar) } else { bits.high |= 1 << UInt64(scalar & 63) }
    }
    asciiBits = bits
  }

  /// Returns whether a code point has the property. Surrogates have no properties.
  func contains(_ scalar: UInt32) -> Bool { Unicode.Scalar(scalar).map { question($0.properties) } ?? false }
}

/// The general categories of Unicode, with all their names.
enum GeneralCategories {
  /// Returns the property for the name of a category or a group of categories.
  static func property(_ name: String) -> UnicodeProperty? {
    byName[name].map(UnicodeProperty.asked)
  }

  private typealias Category = Unicode.GeneralCategory

  private static let letters: Set<Category> = cased.union([.modifierLetter, .otherLetter])
  private static let cased: Set<Category> = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
  private static let marks: Set<Category> = [.nonspacingMark, .spacingMark, .enclosingMark]
  private static let numbers: Set<Category> = [.decimalNumber, .letterNumber, .otherNumber]
  private static let punctuation: Set<Category> = [
    .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
    .finalPunctuation, .otherPunctuation,
  ]
  private static let symbols: Set<Category> = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
  private static let separators: Set<Category> = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
  private static let others: Set<Category> = [.control, .format, .surrogate, .privateUse, .unassigned]

  private static let table: [(names: [String], members: Set<Category>)] = [
    (["L", "Letter"], letters), (["LC", "Cased_Letter"], cased), (["M", "Mark", "Combining_Mark"], marks),
    (["N", "Number"], numbers), (["P", "Punctuation", "punct"], punctuation), (["S", "Symbol"], symbols),
    (["Z", "Separator"], separators), (["C", "Other"], others),
    (["Lu", "Uppercase_Letter"], [.uppercaseLetter]), (["Ll", "Lowercase_Letter"], [.lowercaseLetter]),
    (["Lt", "Titlecase_Letter"], [.titlecaseLetter]), (["Lm", "Modifier_Letter"], [.modifierLetter]),
    (["Lo", "Other_Letter"], [.otherLetter]), (["Mn", "Nonspacing_Mark"], [.nonspacingMark]),
    (["Mc", "Spacing_Mark"], [.spacingMark]), (["Me", "Enclosing_Mark"], [.enclosingMark]),
    (["Nd", "Decimal_Number", "digit"], [.decimalNumber]), (["Nl", "Letter_Number"], [.letterNumber]),
    (["No", "Other_Number"], [.otherNumber]), (["Pc", "Connector_Punctuation"], [.connectorPunctuation]),
    (["Pd", "Dash_Punctuation"], [.dashPunctuation]), (["Ps", "Open_Punctuation"], [.openPunctuation]),
    (["Pe", "Close_Punctuation"], [.closePunctuation]), (["Pi", "Initial_Punctuation"], [.initialPunctuation]),
    (["Pf", "Final_Punctuation"], [.finalPunctuation]), (["Po", "Other_Punctuation"], [.otherPunctuation]),
    (["Sm", "Math_Symbol"], [.mathSymbol]), (["Sc", "Currency_Symbol"], [.currencySymbol]),
    (["Sk", "Modifier_Symbol"], [.modifierSymbol]), (["So", "Other_Symbol"], [.otherSymbol]),
    (["Zs", "Space_Separator"], [.spaceSeparator]), (["Zl", "Line_Separator"], [.lineSeparator]),
    (["Zp", "Paragraph_Separator"], [.paragraphSeparator]), (["Cc", "Control", "cntrl"], [.control]),
    (["Cf", "Format"], [.format]), (["Cs", "Surrogate"], [.surrogate]), (["Co", "Private_Use"], [.privateUse]),
    (["Cn", "Unassigned"], [.unassigned]),
  ]

  private static let byName: [String: AskedProperty] = {
    var result: [String: AskedProperty] = [:]
    for (names, members) in table {
      let mask = members.reduce(0 as UInt32) { $0 | 1 << bit($1) }
      let property = AskedProperty { mask >> bit($0.generalCategory) & 1 == 1 }
      for name in names { result[name] = property }
    }
    return result
  }()

  /// The category's bit in a mask.
  private static func bit(_ category: Category) -> UInt32 {
    switch category {
    case .uppercaseLetter: 0
    case .lowercaseLetter: 1
    case .titlecaseLetter: 2
    case .modifierLetter: 3
    case .otherLetter: 4
    case .nonspacingMark: 5
    case .spacingMark: 6
    case .enclosingMark: 7
    case .decimalNumber: 8
    case .letterNumber: 9
    case .otherNumber: 10
    case .connectorPunctuation: 11
    case .dashPunctuation: 12
    case .openPunctuation: 13
    case .closePunctuation: 14
    case .initialPunctuation: 15
    case .finalPunctuation: 16
    case .otherPunctuation: 17
    case .mathSymbol: 18
    case .currencySymbol: 19
    case .modifierSymbol: 20
    case .otherSymbol: 21
    case .spaceSeparator: 22
    case .lineSeparator: 23
    case .paragraphSeparator: 24
    case .control: 25
    case .format: 26
    case .surrogate: 27
    case .privateUse: 28
    case .unassigned: 29
    @unknown default: 31
    }
  }
}

/// The properties in ECMA-262's table "Binary Unicode property aliases".
enum BinaryProperties {
  /// Returns the property with a long or short name.
  static func property(_ name: String) -> UnicodeProperty? {
    switch name {
    case "Any": return .ranges([0...ScalarClass.lastScalar])
    case "ASCII": return .ranges([0...0x7F])
    case "Regional_Indicator", "RI": return .ranges([0x1F1E6...0x1F1FF])
    case "Extended_Pictographic", "ExtPict": return .ranges(pictographs)
    case "Emoji_Component", "EComp": return .ranges(emojiComponents)
    default: return asked[name].map(UnicodeProperty.asked)
    }
  }

  private static let pictographs: [ClosedRange<UInt32>] =
    UnicodeRanges.entries(of: PictographTable.text).first?.ranges ?? []

  /// The code points of emoji components: the characters of keycaps, the joiner, variation selectors, regional
  /// indicators, skin tones, hair components and tags.
  private static let emojiComponents: [ClosedRange<UInt32>] = [
    0x23...0x23, 0x2A...0x2A, 0x30...0x39, 0x200D...0x200D, 0x20E3...0x20E3, 0xFE0F...0xFE0F, 0x1F1E6...0x1F1FF,
    0x1F3FB...0x1F3FF, 0x1F9B0...0x1F9B3, 0xE0020...0xE007F,
  ]

  private typealias Question = @Sendable (Unicode.Scalar.Properties) -> Bool

  private static let table: [(names: [String], question: Question)] = [
    (["ASCII_Hex_Digit", "AHex"], { $0.isASCIIHexDigit }), (["Alphabetic", "Alpha"], { $0.isAlphabetic }),
    (["Assigned"], { $0.generalCategory != .unassigned }), (["Bidi_Control", "Bidi_C"], { $0.isBidiControl }),
    (["Bidi_Mirrored", "Bidi_M"], { $0.isBidiMirrored }), (["Case_Ignorable", "CI"], { $0.isCaseIgnorable }),
    (["Cased"], { $0.isCased }), (["Changes_When_Casefolded", "CWCF"], { $0.changesWhenCaseFolded }),
    (["Changes_When_Casemapped", "CWCM"], { $0.changesWhenCaseMapped }),
    (["Changes_When_Lowercased", "CWL"], { $0.changesWhenLowercased }),
    (["Changes_When_NFKC_Casefolded", "CWKCF"], { $0.changesWhenNFKCCaseFolded }),
    (["Changes_When_Titlecased", "CWT"], { $0.changesWhenTitlecased }),
    (["Changes_When_Uppercased", "CWU"], { $0.changesWhenUppercased }), (["Dash"], { $0.isDash }),
    (["Default_Ignorable_Code_Point", "DI"], { $0.isDefaultIgnorableCodePoint }),
    (["Deprecated", "Dep"], { $0.isDeprecated }), (["Diacritic", "Dia"], { $0.isDiacritic }),
    (["Emoji"], { $0.isEmoji }), (["Emoji_Modifier", "EMod"], { $0.isEmojiModifier }),
    (["Emoji_Modifier_Base", "EBase"], { $0.isEmojiModifierBase }),
    (["Emoji_Presentation", "EPres"], { $0.isEmojiPresentation }), (["Extender", "Ext"], { $0.isExtender }),
    (["Grapheme_Base", "Gr_Base"], { $0.isGraphemeBase }), (["Grapheme_Extend", "Gr_Ext"], { $0.isGraphemeExtend }),
    (["Hex_Digit", "Hex"], { $0.isHexDigit }), (["IDS_Binary_Operator", "IDSB"], { $0.isIDSBinaryOperator }),
    (["IDS_Trinary_Operator", "IDST"], { $0.isIDSTrinaryOperator }), (["ID_Continue", "IDC"], { $0.isIDContinue }),
    (["ID_Start", "IDS"], { $0.isIDStart }), (["Ideographic", "Ideo"], { $0.isIdeographic }),
    (["Join_Control", "Join_C"], { $0.isJoinControl }),
    (["Logical_Order_Exception", "LOE"], { $0.isLogicalOrderException }),
    (["Lowercase", "Lower"], { $0.isLowercase }), (["Math"], { $0.isMath }),
    (["Noncharacter_Code_Point", "NChar"], { $0.isNoncharacterCodePoint }),
    (["Pattern_Syntax", "Pat_Syn"], { $0.isPatternSyntax }),
    (["Pattern_White_Space", "Pat_WS"], { $0.isPatternWhitespace }),
    (["Quotation_Mark", "QMark"], { $0.isQuotationMark }), (["Radical"], { $0.isRadical }),
    (["Sentence_Terminal", "STerm"], { $0.isSentenceTerminal }), (["Soft_Dotted", "SD"], { $0.isSoftDotted }),
    (["Terminal_Punctuation", "Term"], { $0.isTerminalPunctuation }),
    (["Unified_Ideograph", "UIdeo"], { $0.isUnifiedIdeograph }), (["Uppercase", "Upper"], { $0.isUppercase }),
    (["Variation_Selector", "VS"], { $0.isVariationSelector }), (["White_Space", "space"], { $0.isWhitespace }),
    (["XID_Continue", "XIDC"], { $0.isXIDContinue }), (["XID_Start", "XIDS"], { $0.isXIDStart }),
  ]

  private static let asked: [String: AskedProperty] = {
    var result: [String: AskedProperty] = [:]
    for (names, question) in table {
      let property = AskedProperty(question)
      for name in names { result[name] = property }
    }
    return result
  }()
}

/// The code points with the property Extended_Pictographic in Unicode 17. The standard library does not provide this
/// property.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum PictographTable {
  static let text: StaticString = """
    Extended_Pictographic: 4p 5 68e d 61 n 2j.5 g.1 a8.1 d 4n q.a 5.2 5k 6g.1 b a 1n.3 2.4 a 3 3.1 3 5 3 2.1 3 4 4.1 \
    9.2 6 2 6.b c.1 3 2.1 2 j 3.1 j.5 2 2.1 4.1 6 3.1 5.1 c.1 6.1 3 6.1 2 2.1 l.1 6.5 2.3 3 5 3 3.5 2 3 2 2 7 4 7 \
    b.1 g 3 5 2 5.2 2 c.1 1d.2 a f f ad.1 cw.2 k.1 1g 5 yj d gq 2 2fzf 14.3 2t.b g.1 g f.1 12.9 35.1 d.1 f 3.9 k.1j \
    s.e b l 3.8 2.3 a.m 7.57 3.33 3.1 2.2 3.2a 3.2 2.3 6.71 2.1q c.5 2.n 8.1 3.7 d 3.3 3 5.1 e.1 3 9.1 a 6.2 d.2 9.2 \
    3 2 5 7 4 7.2d 1d.1x 6.7 3.g 4 2.5 3.c 63.11 d.3 1l.7 b.5 15.7 v.1 d.3 3.d a.12 d.1a 2.9 2.54 2h.7 f.41 75.sd
    """
}

/// The scripts of Unicode with their code points.
enum Scripts {
  private static let ownRanges: [Substring: [ClosedRange<UInt32>]] = {
    var result: [Substring: [ClosedRange<UInt32>]] = [:]
    for entry in UnicodeRanges.entries(of: ScriptTable.text) {
      for name in entry.names { result[name] = entry.ranges }
    }
    // These are the code points without a script.
    let unknown = ScalarClass.complement(of: result.values.flatMap { $0 })
    for name in ["Unknown", "Zzzz"] as [Substring] { result[name] = unknown }
    return result
  }()

  private static let longNames: [Substring: Substring] = {
    var result: [Substring: Substring] = [:]
    for entry in UnicodeRanges.entries(of: ScriptTable.text) {
      for name in entry.names { result[name] = entry.names[0] }
    }
    return result
  }()

  private static let extensions: [Substring: [ClosedRange<UInt32>]] = {
    var result: [Substring: [ClosedRange<UInt32>]] = [:]
    for entry in UnicodeRanges.entries(of: ScriptExtensionTable.text) { result[entry.names[0]] = entry.ranges }
    return result
  }()

  /// Returns the code points of the script with a long or short name, or nil for a name that Unicode does not define.
  static func ranges(of name: Substring) -> [ClosedRange<UInt32>]? { ownRanges[name] }

  /// Returns the code points that a script uses, including code points that it shares with other scripts
  /// (Script_Extensions).
  static func extendedRanges(of name: Substring) -> [ClosedRange<UInt32>]? {
    guard let own = ownRanges[name] else { return nil }
    guard let longName = longNames[name] else { return own }
    guard longName == "Common" || longName == "Inherited" else {
      return ScalarClass.merged(own + (extensions[longName] ?? []))
    }
    // Code points with script extensions are not common to all scripts, so they are removed.
    let shared = ScalarClass.merged(extensions.values.flatMap { $0 })
    return ScalarClass.complement(of: ScalarClass.complement(of: own) + shared)
  }
}

/// Reads the tables of code points in this module.
///
/// A table has one line for each entry: names separated by commas, a colon, and ranges. A range is written as the
/// distance from the end of the previous range (or 0) to its start, then optionally a point and its length minus one,
/// all in base 36. For example, `2.3 5` means 2 to 5, and 10.
enum UnicodeRanges {
  /// One entry of a table.
  struct Entry {
    /// The names, beginning with the long name.
    var names: [Substring]
    /// The code points in order.
    var ranges: [ClosedRange<UInt32>]
  }

  /// Reads a table.
  static func entries(of table: StaticString) -> [Entry] {
    "\(table)".split(separator: "\n").map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      var end: UInt32 = 0
      let ranges = line[colon...].dropFirst().split(separator: " ").map { text -> ClosedRange<UInt32> in
        let parts = text.split(separator: ".").map { UInt32($0, radix: 36) ?? 0 }
        let start = end + parts[0]
        end = start + (parts.count > 1 ? parts[1] : 0)
        return start...end
      }
      return Entry(names: line[..<colon].split(separator: ","), ranges: ranges)
    }
  }

  /// Returns whether a code point is in one of `ranges`, which must be in order.
  static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if scalar > ranges[middle].upperBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= scalar
  }
}
