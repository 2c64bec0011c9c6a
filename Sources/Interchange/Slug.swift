import Foundation

/// Makes file names from titles: lower-case ASCII letters, digits, and single dashes between words.
///
/// Cyrillic is transliterated by BGN/PCGN (`щ` is shch, `ё` is yo, `х` is kh), without soft signs. Ukrainian,
/// Belarusian, Bulgarian, Serbian and Macedonian letters are transliterated by their own sound (`ъ` is `a` where
/// Bulgarian uses it as a vowel). Greek follows ELOT 743. Latin letters lose their accents. Everything else becomes a
/// dash, so titles in other scripts or with only emoji have no slug.
package enum Slug {
  /// The maximum length of a slug in characters.
  package static let longest = 60
  /// The slug of titles without usable characters.
  package static let untitled = "untitled"
  /// The number of characters of a title that are used.
  private static let looked = 2000

  /// Returns the slug of a title, which is never empty and never a name that Windows reserves.
  package static func of(_ title: String) -> String {
    let start = title.unicodeScalars.prefix(looked)
    let scalars = plain(start) ?? composed(start)
    var out: [UInt8] = []
    var isGap = false
    func append(_ text: some Sequence<UInt8>) {
      if isGap, !out.isEmpty { out.append(UInt8(ascii: "-")) }
      isGap = false
      out += text
    }
    for (index, scalar) in scalars.enumerated() where out.count <= longest {
      if isWordCharacter(scalar) {
        append(CollectionOfOne(UInt8(truncatingIfNeeded: scalar.value)))
      } else if scalar.isASCII {
        isGap = true
      } else if let letters = letters(scalars, index) {
        if !letters.isEmpty { append(letters.utf8) }
      } else if !isMark(scalar) {
        let base = decomposed(scalar)
        if base.isEmpty { isGap = true } else { append(base.utf8) }
      }
    }
    let slug = cut(out)
    if slug.isEmpty { return untitled }
    return isReserved(slug) ? slug + "-note" : slug
  }

  /// Returns the lower-case letters of a title in one spelling, whichever Unicode form the title uses.
  private static func composed(_ title: Substring.UnicodeScalarView) -> [Unicode.Scalar] {
    Array(String(title).precomposedStringWithCanonicalMapping.lowercased().unicodeScalars)
  }

  /// Returns the lower-case letters of a title with only ASCII and Russian letters, which have one spelling each; nil
  /// for other titles.
  private static func plain(_ title: Substring.UnicodeScalarView) -> [Unicode.Scalar]? {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(64)
    for scalar in title {
      switch scalar.value {
      case 0x41...0x5A, 0x410...0x42F: scalars.append(Unicode.Scalar(scalar.value + 0x20) ?? scalar)
      case 0..<0x80, 0x430...0x44F: scalars.append(scalar)
      default: return nil
      }
    }
    return scalars
  }

  /// Whether Windows reserves a name, with any extension, for a device.
  private static func isReserved(_ name: String) -> Bool {
    if ["con", "prn", "aux", "nul"].contains(name) { return true }
    return name.utf8.count == 4 && (name.hasPrefix("com") || name.hasPrefix("lpt"))
      && name.utf8.last.map { $0 >= 0x30 && $0 <= 0x39 } == true
  }

  /// Returns at most `longest` characters, cut between words if that leaves at least half of them.
  private static func cut(_ slug: [UInt8]) -> String {
    guard slug.count > longest else { return String(decoding: slug, as: UTF8.self) }
    var end = longest
    if slug[end] != UInt8(ascii: "-"), let dash = slug[..<end].lastIndex(of: UInt8(ascii: "-")), dash >= longest / 2 {
      end = dash
    }
    while end > 0, slug[end - 1] == UInt8(ascii: "-") { end -= 1 }
    return String(decoding: slug[..<end], as: UTF8.self)
  }

  // MARK: Letters

  private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  /// Whether a scalar is an accent without a letter, or an invisible character.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// Returns the Latin form of a letter in the table; nil for letters that the table does not contain.
  static func letters(_ scalars: [Unicode.Scalar], _ index: Int) -> String? {
    let next = index + 1 < scalars.count ? scalars[index + 1] : " "
    switch scalars[index] {
    // A Russian hard sign occurs only before these vowels; a Bulgarian hard sign is itself a vowel.
    case "ъ": return "еёюя".unicodeScalars.contains(next) || !isCyrillic(next) ? "" : "a"
    case "υ", "ύ": return index > 0 && "οό".unicodeScalars.contains(scalars[index - 1]) ? "u" : "y"
    default: return Transliteration.letters[scalars[index]]
    }
  }

  private static func isCyrillic(_ scalar: Unicode.Scalar) -> Bool { (0x400...0x52F).contains(scalar.value) }

  /// Returns the ASCII letters and digits in the Unicode decomposition of a character (`é`, `ﬁ`, `②`), and
  /// transliterates `ў` by its base.
  private static func decomposed(_ scalar: Unicode.Scalar) -> String {
    var out = ""
    for part in String(Character(scalar)).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
      if isWordCharacter(part) {
        out.unicodeScalars.append(part)
      } else if let letters = Transliteration.letters[part] {
        out += letters
      } else if part == "υ" {
        out += "y"
      }
    }
    return out
  }

  /// Returns a title in lower-case ASCII, using the same tables as for file names. Blanks and dashes are kept, other
  /// ASCII characters are unchanged, and characters without a Latin form are left out.
  /// - Parameter special: returns the Latin form of a letter for which the tables are not used.
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

/// The Latin forms of letters of other alphabets, in lower case. The ʻokina and the modifier apostrophe are letters
/// that have no Latin form.
/// - Source: BGN/PCGN 1947 (Russian), 1965 (Ukrainian), 1979 (Belarusian), 2013 (Bulgarian) without their signs;
///   ELOT 743 (Greek)
private enum Transliteration {
  static let letters: [Unicode.Scalar: String] = {
    var letters: [Unicode.Scalar: String] = [:]
    for pair in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      guard let letter = pair.unicodeScalars.first else { continue }
      letters[letter] = String(pair.unicodeScalars.dropFirst())
    }
    return letters
  }()

  private static let table = """
    аa бb вv гg дd еe ёyo жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ыy ь эe юyu яya
    іi їyi єye ґg ўw
    ђdj ѓg ѕdz јj љlj њnj ћc ќk џdz ѐe ѝi
    ѣe ѳf ѵi ѡo ѫu ѧya
    әa ғg қq ңn өo ұu үu һh җzh ӣi ӯu ҷch ҳh
    αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt φf χch ψps ωo
    ʻ ʼ
    ßss æae œoe øo đd ðd þth łl ıi ŋn ħh əe ĸk ŧt ſs ƒf
    """
}
