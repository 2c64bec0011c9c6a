/// An address that may be one: something, an `@`, something; nothing that breaks a line or a log.
public struct EmailAddress: Sendable, Equatable {
  /// Longest address (RFC 5321 §4.5.3.1.3 without the brackets).
  public static let longest = 254

  /// As it was written, letters of ASCII in lower case: nobody has two accounts by writing it in two ways.
  public let text: String

  /// Takes an address; nil when it cannot be one.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard
      text.utf8.count <= Self.longest, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0xA0).contains($0.value) })
    else { return nil }
    self.text = String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }

  /// What stands before the `@`.
  var localPart: Substring.UTF8View { text.utf8.prefix { $0 != UInt8(ascii: "@") } }

  /// Whether Apple made it up to hide the person's own.
  var isPrivateRelay: Bool { text.utf8.reversed().starts(with: "@privaterelay.appleid.com".utf8.reversed()) }
}

/// Who signs in without Apple, in development.
enum TestIdentity {
  /// What begins the place of Apple's name in the store.
  static let prefix = "test:"
}
