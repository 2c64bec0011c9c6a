/// An account's public name: 3 to 30 ASCII letters, digits, `.`, `_` and `-`, with a letter or digit at both ends.
///
/// Names are unique without regard to case. Some are reserved (`ReservedNames`).
public enum Username {
  static let lengths = 3...30

  /// The reason why a name cannot be chosen.
  public enum Refusal: Sendable, Equatable {
    /// The name's form is invalid.
    case malformed
    /// The name could be mistaken for an operator, or occurs in a path.
    case reserved
  }

  /// Returns why a name cannot be chosen; nil if it can be. Only the store can tell whether it is taken.
  public static func refusal(of name: String) -> Refusal? {
    let bytes = Array(name.utf8)
    guard lengths.contains(bytes.count), bytes.allSatisfy({ isAllowed($0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0)) }),
      let first = bytes.first, let last = bytes.last, !isMark(first), !isMark(last)
    else { return .malformed }
    return ReservedNames.contains(name) ? .reserved : nil
  }

  /// Suggests a name: from the local part of the address if possible, otherwise a random one. The store makes it
  /// unique.
  ///
  /// The name never reveals an address: text after `@` or `+` is not used.
  static func suggestion(for email: EmailAddress?, isPrivate: Bool) -> String {
    guard let email, !isPrivate, !email.isPrivateRelay else { return random() }
    var name = email.localPart.prefix { $0 != UInt8(ascii: "+") }.filter(isAllowed)
    name = Array(name.drop(while: isMark).prefix(lengths.upperBound))
    while let last = name.last, isMark(last) { name.removeLast() }
    let text = String(decoding: name, as: UTF8.self)
    return refusal(of: text) == nil ? text : random()
  }

  /// Returns a name without meaning.
  static func random() -> String {
    // Letters and digits that look alike are left out.
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
    return "sailor-" + String(decoding: (0..<6).compactMap { _ in letters.randomElement() }, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || isMark(byte)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}

/// Usernames that no account can get: they could be mistaken for the operator or the software, or they occur in paths.
///
/// A name is compared in lower case, without separators, with or without trailing digits, and with similar-looking
/// letters treated as equal: `Ad-Min`, `ad_min`, `admin2`, `adm1n` and `admln` are all `admin`. Accounts that already
/// had such a name keep it. The names of two people may look alike.
enum ReservedNames {
  /// Whether a name is reserved.
  static func contains(_ name: String) -> Bool {
    var bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    bytes.removeAll { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    // Trailing digits may stand for similar-looking letters, or may be a number after the word.
    while true {
      if folded.contains(bytes.map(likeness)) { return true }
      guard let last = bytes.last, (0x30...0x39).contains(last) else { return false }
      bytes.removeLast()
    }
  }

  /// Maps all letters that look alike to the same letter.
  private static func likeness(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "1"), UInt8(ascii: "i"): UInt8(ascii: "l")
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    default: byte
    }
  }

  private static let folded = Set(words.map { $0.utf8.map(likeness) })

  private static let words: Set<String> = [
    // These names belong to operators.
    "abuse", "admin", "administrator", "admins", "billing", "contact", "feedback", "help", "helpdesk", "hostmaster",
    "info", "legal", "mailer", "mailerdaemon", "moderation", "moderator", "moderators", "mods", "noc", "noreply",
    "official", "operator", "owner", "postmaster", "press", "privacy", "root", "sales", "security", "service", "staff",
    "superuser", "support", "sysadmin", "sysop", "system", "team", "verified", "webmaster",
    // These names belong to the software.
    "anyfleet", "anyfleetadmin", "anyfleetapp", "anyfleetofficial", "anyfleetsupport", "anyfleetteam", "apple",
    "daemon", "fleetkit", "fleetkitadmin", "fleetkitofficial", "fleetkitregistry", "fleetkitsupport", "fleetkitteam",
    "registry", "server",
    // Words that occur in paths, and names that do not denote a person.
    "account", "accounts", "anonymous", "api", "app", "apps", "assets", "auth", "batch", "byid", "community", "content",
    "deleted", "everyone", "guest", "health", "home", "index", "invalid", "login", "logout", "mail", "me", "metrics",
    "mine", "nobody", "null", "openapi", "profile", "profiles", "public", "ready", "refresh", "register", "settings",
    "share", "signin", "signout", "signup", "static", "stats", "status", "undefined", "unknown", "user", "users", "www",
  ]
}
