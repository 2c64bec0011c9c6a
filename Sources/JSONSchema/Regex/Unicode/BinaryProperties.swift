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

  private static let asked: [String: Question] = {
    var result: [String: Question] = [:]
    for (names, question) in table {
      for name in names { result[name] = question }
    }
    return result
  }()
}
