extension Slug {
  /// A title in ASCII, small letters only, by the same tables as file names; blanks and dashes are kept as such, other
  /// ASCII as it is, and what has no letters of its own is left out.
  /// - Parameter special: what a letter is in Latin where the caller knows better than the tables.
  package static func latin(_ title: String, special: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
    let scalars = composed(title.unicodeScalars.prefix(looked))
    var out = ""
    for (index, scalar) in scalars.enumerated() {
      if scalar.isASCII {
        out.unicodeScalars.append(scalar.properties.isWhitespace ? " " : scalar)
      } else if let known = special(scalar) {
        out += known
      } else if let letters = letters(scalars, index) {
        out += letters
      } else if scalar.properties.isWhitespace {
        out += " "
      } else if scalar.properties.generalCategory == .dashPunctuation || scalar == "\u{2212}" {
        out += "-"
      } else if !isMark(scalar) {
        out += decomposed(scalar)
      }
    }
    return out
  }
}
