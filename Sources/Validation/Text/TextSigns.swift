/// What a glance at a text's bytes tells: which rules need to read it and which can pass it by.
///
/// A sign says "perhaps"; a text without the sign has nothing for the rule.
struct TextSigns: OptionSet {
  let rawValue: UInt32

  // The lowest six bits make neighbours visible: a byte's class shifted left by one meets its successor's.

  /// A Latin letter stands before a Greek or Cyrillic one, or behind one.
  static let scriptMeetsScript: TextSigns = [
    TextSigns(rawValue: 1 << 1), TextSigns(rawValue: 1 << 3),
  ]

  static let latin = TextSigns(rawValue: 1 << 8)
  static let cyrillic = TextSigns(rawValue: 1 << 9)
  static let greek = TextSigns(rawValue: 1 << 10)
  /// Letters that are neither Latin, Greek nor Cyrillic, or other scalars from U+0530 on except punctuation.
  static let otherScript = TextSigns(rawValue: 1 << 11)
  static let digit = TextSigns(rawValue: 1 << 12)
  static let at = TextSigns(rawValue: 1 << 13)
  static let backslash = TextSigns(rawValue: 1 << 14)
  static let slash = TextSigns(rawValue: 1 << 15)
  /// A control, a zero-width or private scalar, anything that nobody sees.
  static let invisible = TextSigns(rawValue: 1 << 16)
  /// A control of the direction of writing.
  static let bidi = TextSigns(rawValue: 1 << 17)
  static let combining = TextSigns(rawValue: 1 << 18)
  static let mojibake = TextSigns(rawValue: 1 << 19)
  static let degree = TextSigns(rawValue: 1 << 20)
  /// `???`
  static let questions = TextSigns(rawValue: 1 << 21)
  /// A word that goes with secrets.
  static let secretWord = TextSigns(rawValue: 1 << 22)
  /// A word that stands for text still to be written.
  static let placeholderWord = TextSigns(rawValue: 1 << 23)
  /// `http`
  static let web = TextSigns(rawValue: 1 << 24)
  /// `Users`, `home`, `file` and the like.
  static let pathWord = TextSigns(rawValue: 1 << 25)
  /// Seven digits or more.
  static let manyDigits = TextSigns(rawValue: 1 << 26)
  /// `&`, or `<` before a letter or a slash.
  static let markup = TextSigns(rawValue: 1 << 27)
}
