/// Looks at a language tag as BCP 47 writes it.
enum LanguageTag {
  /// What is to be said about a tag.
  enum Answer {
    case good
    /// There is one right spelling.
    case respell(String)
    /// A country stands where the language should.
    case perhaps(String)
    /// The form is right, the language unknown.
    case unknown(String)
    case malformed
  }

  /// Says what is wrong with a tag.
  /// - Source: RFC 5646, section 2.1; the recommended capitals are those of section 2.1.1.
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
