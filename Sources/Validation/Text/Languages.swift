/// Languages, their codes and their scripts.
enum Languages {
  /// The codes of ISO 639-1, grouped by first letter.
  private static let two: Set<String> = Set(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en \
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv \
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne \
    ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss \
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split(separator: " ").map(String.init))

  /// Codes of ISO 639-3 for written languages without a two-letter code.
  private static let three: Set<String> = Set(
    """
    ast bar ceb chr ckb cmn cnr crs csb dsb fil frp frr fur gcf gsw hak haw hif hmn hsb ilo kab kea kok krl ksh lad lez \
    lij lld lmo ltg mai mfe mis mni mul nah nan nap nds new nhn nqo pap pcd pcm pdc pms prg rap rar rcf roa rom rue sah \
    sat scn sco sgs sma smj smn sms srn stq swg syr szl tet tkl tpi tvl tyv udm und vec vep vls vro war wln wuu yue zea \
    zgh zxx
    """.split(separator: " ").map(String.init))

  /// Names and codes that people write instead of the two-letter code.
  static let named: [String: String] = [
    "english": "en", "eng": "en", "английский": "en", "russian": "ru", "rus": "ru", "русский": "ru", "german": "de",
    "deutsch": "de", "deu": "de", "ger": "de", "french": "fr", "français": "fr", "fra": "fr", "fre": "fr",
    "spanish": "es", "español": "es", "spa": "es", "italian": "it", "italiano": "it", "ita": "it", "greek": "el",
    "ελληνικά": "el", "ell": "el", "gre": "el", "turkish": "tr", "türkçe": "tr", "tur": "tr", "croatian": "hr",
    "hrvatski": "hr", "hrv": "hr", "dutch": "nl", "nederlands": "nl", "nld": "nl", "portuguese": "pt", "por": "pt",
    "português": "pt", "polish": "pl", "polski": "pl", "pol": "pl", "ukrainian": "uk", "українська": "uk", "ukr": "uk",
    "swedish": "sv", "svenska": "sv", "swe": "sv", "norwegian": "no", "norsk": "no", "nor": "no", "danish": "da",
    "dansk": "da", "dan": "da", "finnish": "fi", "suomi": "fi", "fin": "fi", "czech": "cs", "čeština": "cs",
    "hebrew": "he", "עברית": "he", "heb": "he", "arabic": "ar", "العربية": "ar", "ara": "ar", "iw": "he", "in": "id",
  ]

  /// Country codes that are mistaken for languages, each with the right language code.
  static let countries = [
    "gr": "el", "jp": "ja", "cn": "zh", "ua": "uk", "cz": "cs", "dk": "da", "gb": "en", "us": "en",
  ]

  /// Whether a lower-case code is a language code.
  static func isKnown(_ code: String) -> Bool { two.contains(code) || three.contains(code) }

  /// Whether the bytes are one of the codes that nearly all items have. This does not need a string.
  static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == 2 else { return false }
    switch (bytes[0], bytes[1]) {
    case (0x65, 0x6E), (0x72, 0x75), (0x64, 0x65), (0x66, 0x72), (0x65, 0x73), (0x69, 0x74), (0x65, 0x6C): return true
    default: return false
    }
  }

  /// Returns the script in which a language is written; nil if there are several, or if it is unknown.
  static func script(of language: Span<UInt8>) -> Script? {
    var end = 0
    while end < language.count, language[end] != UInt8(ascii: "-"), language[end] != UInt8(ascii: "_") { end += 1 }
    // If a tag names a script, or a region with its own script, the text is not checked.
    guard end == 2, language.count - end < 4 else { return nil }
    switch (language[0] | 0x20, language[1] | 0x20) {
    case (0x65, 0x6E): return .latin  // en
    case (0x72, 0x75): return .cyrillic  // ru
    default: return scripts[UTF8Reader.string(language, 0..<2).lowercased()]
    }
  }

  private static let scripts: [String: Script] = {
    var all: [String: Script] = [:]
    for code in "ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv mt nb nl nn no pl pt ro sk sl sv tr vi"
      .split(separator: " ")
    { all[String(code)] = .latin }
    for code in "be bg ky mk ru tt uk".split(separator: " ") { all[String(code)] = .cyrillic }
    for code in "ar fa ps ur".split(separator: " ") { all[String(code)] = .arabic }
    all["el"] = .greek
    all["he"] = .hebrew
    all["yi"] = .hebrew
    for code in "am hi hy ja ka ko ta th zh".split(separator: " ") { all[String(code)] = .other }
    return all
  }()

  /// Whether a language is written from right to left.
  static func isRightToLeft(_ language: String) -> Bool {
    let code = language.lowercased().prefix { $0 != "-" && $0 != "_" }
    return ["ar", "he", "fa", "ur", "yi", "ps", "dv", "ckb", "sd", "ug", "iw", "syr", "arc"].contains(String(code))
  }
}

/// Checks language tags against BCP 47.
enum LanguageTag {
  /// The result of a check.
  enum Answer {
    case good
    /// The tag should be spelled differently.
    case respell(String)
    /// The tag has a country instead of a language.
    case perhaps(String)
    /// The form is correct, but the language is unknown.
    case unknown(String)
    case malformed
  }

  /// Checks a tag.
  /// - Source: RFC 5646, section 2.1; the recommended capitals are in section 2.1.1.
  static func check(_ text: String) -> Answer {
    guard text.utf8.count <= 64 else { return .malformed }
    if let code = Languages.named[text.lowercased()] { return .respell(code) }
    let parts = text.replacing("_", with: "-").split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first, parts.allSatisfy(isSubtag) else { return .malformed }
    let language = first.lowercased()
    if language == "x" || language == "i" { return parts.count > 1 ? .good : .malformed }
    guard Languages.isKnown(language) else {
      if let meant = Languages.countries[language] { return .perhaps(meant) }
      return language.count == 2 || language.count == 3 ? .unknown(first) : .malformed
    }
    var spelled = [language]
    var isExtension = false
    for part in parts.dropFirst() {
      isExtension = isExtension || part.count == 1
      let isLetters = part.utf8.allSatisfy { $0 > 0x39 }
      switch part.count {
      case 2 where isLetters && !isExtension: spelled.append(part.uppercased())
      case 4 where isLetters && !isExtension:
        spelled.append(part.prefix(1).uppercased() + part.dropFirst().lowercased())
      default: spelled.append(part.lowercased())
      }
    }
    let better = spelled.joined(separator: "-")
    return better == text ? .good : .respell(better)
  }

  private static func isSubtag(_ text: String) -> Bool {
    (1...8).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 }
  }
}

/// A script, to the extent that rules distinguish scripts.
enum Script: Int, CaseIterable {
  case latin, cyrillic, greek, hebrew, arabic, other

  /// Classifies a letter. Fails for any other scalar.
  @inline(__always) init?(_ scalar: UInt32) {
    switch scalar {
    case 0x41...0x5A, 0x61...0x7A, 0xC0..<0x250, 0x1E00..<0x1F00: self = .latin
    case 0x400..<0x530: self = .cyrillic
    case 0x370..<0x400, 0x1F00..<0x2000: self = .greek
    case 0x590..<0x600: self = .hebrew
    case 0x600..<0x780, 0xFB50..<0xFE00, 0xFE70..<0xFEFF: self = .arabic
    case 0x530..<0x590, 0x900..<0x1E00, 0x3040..<0xD800: self = .other
    default: return nil
    }
  }

  /// The script's name in messages.
  var name: String {
    switch self {
    case .latin: "Latin"
    case .cyrillic: "Cyrillic"
    case .greek: "Greek"
    case .hebrew: "Hebrew"
    case .arabic: "Arabic"
    case .other: "other"
    }
  }
}
