/// The general categories of Unicode, with all their names.
enum GeneralCategories {
  /// Returns the property for the name of a category or a group of categories.
  static func property(_ name: String) -> UnicodeProperty? {
    guard let members = byName[name] else { return nil }
    return .asked { members.contains($0.generalCategory) }
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

  private static let byName: [String: Set<Category>] = {
    var result: [String: Set<Category>] = [:]
    for (names, members) in table {
      for name in names { result[name] = members }
    }
    return result
  }()
}
