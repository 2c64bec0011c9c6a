import Content
import JSONText

/// Apple's data about a user who signed in.
struct AppleIdentity: Sendable, Equatable {
  /// The user's id, which is stable for the person and the app's team.
  let subject: String
  /// The address; nil if Apple provided none, or has not verified it.
  let email: String?
  /// Whether the address is one of Apple's relay, which reveals nothing about the person.
  let isPrivateEmail: Bool
  /// When the token expires, in seconds since 1970.
  let expiresAt: Int64
}

/// Verifies Apple's identity tokens: their RS256 signature against Apple's keys, issuer, audience, times and nonce.
///
/// - Source: Apple, "Verifying a user" (Sign in with Apple REST API).
struct AppleIdentityTokens: Sendable {
  static let issuer = "https://appleid.apple.com"

  let keys: AppleKeys
  let settings: TokenSettings

  /// Reads a token.
  /// - Parameter nonce: the nonce that, according to the client's request, was sent to Apple, plain or hashed.
  /// - Parameter now: seconds since 1970.
  func verify(_ token: String, nonce: String?, now: Int64) async throws(SignInFailure) -> AppleIdentity {
    guard
      let parts = CompactToken(Array(token.utf8)), let header = CompactToken.object(in: parts.header),
      // The algorithm is checked before any key is looked up, so that a key is never used with another algorithm.
      Self.isText(header["alg"], "RS256"), header["crit"] == nil, let name = header["kid"]?.string,
      !name.isEmpty, name.utf8.count <= 255
    else { throw .invalid }
    let key = try await keys.key(name)
    guard
      (try? key.verify(parts.signature, signs: parts.signed)) == true,
      let payload = CompactToken.object(in: parts.payload)
    else { throw .invalid }
    return try identity(payload, nonce: nonce, now: now)
  }

  private func identity(_ payload: JSONValue, nonce: String?, now: Int64) throws(SignInFailure) -> AppleIdentity {
    guard
      Self.isText(payload["iss"], Self.issuer), isForUs(payload["aud"]),
      let subject = payload["sub"]?.string, Self.isSubject(subject),
      let issuedAt = payload["iat"]?.integer, issuedAt <= now + settings.leeway,
      let expiresAt = payload["exp"]?.integer, isAnswer(payload["nonce"], to: nonce)
    else { throw .invalid }
    if let from = payload["nbf"] {
      guard let from = from.integer, from <= now + settings.leeway else { throw .invalid }
    }
    guard now - settings.leeway < expiresAt else { throw .expired }
    let email = Self.isTrue(payload["email_verified"]) ? payload["email"]?.string.flatMap(EmailAddress.init) : nil
    return AppleIdentity(
      subject: subject, email: email?.text,
      isPrivateEmail: Self.isTrue(payload["is_private_email"]) || email?.isPrivateRelay == true, expiresAt: expiresAt)
  }

  /// Whether the token is for this app. Apple sends one audience. A list is legal (RFC 7519 §4.1.3), but being one of
  /// several audiences is not enough.
  private func isForUs(_ audience: JSONValue?) -> Bool {
    guard let audience else { return false }
    let names = audience.kind == .array ? audience.elements : [audience]
    guard names.count == 1 else { return false }
    return settings.appleClientIDs.contains { Self.isText(names[0], $0) }
  }

  /// Whether the token's nonce is the one that was sent. Clients send the nonce or its SHA-256 to Apple, and Apple puts
  /// it into the token unchanged.
  private func isAnswer(_ claim: JSONValue?, to nonce: String?) -> Bool {
    guard let nonce else { return claim == nil || claim?.isNull == true }
    return Self.isText(claim, nonce) || Self.isText(claim, Self.hashed(nonce))
  }

  /// Returns the nonce in the form that most clients send.
  static func hashed(_ nonce: String) -> String {
    Digest.hex(SecretBytes.sha256(nonce))
  }

  private static func isSubject(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      // Ids with this prefix belong to the test sign-in; Apple does not use them.
      && !text.utf8.starts(with: TestIdentity.prefix.utf8)
  }

  private static func isText(_ value: JSONValue?, _ text: String) -> Bool {
    value?.string.map { $0.utf8.elementsEqual(text.utf8) } ?? false
  }

  /// Whether a value is true; Apple writes some Booleans as strings.
  private static func isTrue(_ value: JSONValue?) -> Bool { value?.bool == true || isText(value, "true") }
}

/// A plausible e-mail address: characters before and after an `@`, none of which break a line or a log.
public struct EmailAddress: Sendable, Equatable {
  /// The maximum length of an address (RFC 5321 §4.5.3.1.3 without the brackets).
  public static let longest = 254

  /// The address with ASCII letters in lower case, so that two spellings do not make two accounts.
  public let text: String

  /// Checks an address; returns nil if the string cannot be one.
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
