/// A plausible e-mail address: characters before and after an `@`, none of which break a line or a log.
public struct EmailAddress: Sendable, Equatable {
  /// The maximum length of an address (RFC 5321 §4.5.3.1.3 without the brackets).
  public static let longest = 254

  /// The address with ASCII letters in lower case, so that two spellings do not make two accounts.
  public let text: String

  /// Checks an address; returns nil when the string cannot be one.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard
      text.utf8.count <= Self.longest, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0xA0).contains($0.value) })
    else { return nil }
    self.text = String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }

  /// The part before the `@`.
  var localPart: Substring.UTF8View { text.utf8.prefix { $0 != UInt8(ascii: "@") } }

  /// Whether the address is one of Apple's relay, which hides the person's own address.
  var isPrivateRelay: Bool { text.utf8.reversed().starts(with: "@privaterelay.appleid.com".utf8.reversed()) }
}

/// The identity of a user who signs in without Apple, in development.
enum TestIdentity {
  /// The prefix of such an identity, which takes the place of Apple's id in the store.
  static let prefix = "test:"
}
