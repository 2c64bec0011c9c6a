import Foundation
import JSONText
import JWTKit
import RegistryModel
import Synchronization

/// Signs and verifies access tokens, with HS256 only.
///
/// A token's header is compared as a whole with the headers that this registry writes. No header is ever parsed, so a
/// sender cannot choose `alg`.
struct AccessTokens: Sendable {
  /// A secret, ready for use.
  private struct Signer: Sendable {
    /// The header of every token that this secret signs.
    let header: [UInt8]
    let algorithm: any JWTAlgorithm
  }

  private let signers: [Signer]
  private let settings: TokenSettings
  private let known = VerifiedTokenCache()

  /// Prepares the keys.
  init(_ keys: SigningKeys, _ settings: TokenSettings) async throws {
    var signers: [Signer] = []
    for key in keys.keys {
      let one = await JWTKeyCollection().add(hmac: HMACKey(from: key.secret), digestAlgorithm: .sha256)
      let header = #"{"alg":"HS256","typ":"JWT","kid":"\#(key.id)"}"#
      signers.append(Signer(header: Base64URL.encode(Array(header.utf8)), algorithm: try await one.getKey()))
    }
    self.signers = signers
    self.settings = settings
  }

  /// Writes a token, signed with the first key.
  func sign(_ claims: AccessClaims) throws -> String {
    guard let signer = signers.first else { throw SigningKeyFailure.missing }
    var token = signer.header
    token.append(UInt8(ascii: "."))
    token += Base64URL.encode(claims.json(settings))
    let signature = try signer.algorithm.sign(token)
    token.append(UInt8(ascii: "."))
    token += Base64URL.encode(signature)
    return String(decoding: token, as: UTF8.self)
  }

  /// Returns the refresh token that follows another one: it is the same whenever the other token is exchanged, and can
  /// be computed only with the first key.
  func successor(of token: RefreshToken) throws -> RefreshToken {
    guard let signer = signers.first else { throw SigningKeyFailure.missing }
    // No access token is signed over these bytes, because they contain a zero.
    let secret = try signer.algorithm.sign(Array("fleetkit.refresh\0\(token.text)".utf8))
    return RefreshToken(secret: Array(secret))
  }

  /// Returns the claims of a token that this registry signed and that has not expired.
  /// - Parameter now: seconds since 1970.
  func verify(_ token: [UInt8], now: Int64) throws(SignInFailure) -> AccessClaims {
    let claims: AccessClaims
    if let known = known.claims(token) { claims = known } else { claims = try read(token) }
    guard claims.issuedAt <= now.addingReportingOverflow(settings.leeway).partialValue else { throw .invalid }
    guard now < claims.expiresAt else { throw .expired }
    return claims
  }

  /// Verifies a token's signature and reads it.
  private func read(_ token: [UInt8]) throws(SignInFailure) -> AccessClaims {
    guard
      let parts = CompactToken(token),
      let signer = signers.first(where: { $0.header.elementsEqual(parts.header) }),
      (try? signer.algorithm.verify(parts.signature, signs: parts.signed)) == true,
      let payload = CompactToken.object(in: parts.payload),
      let claims = AccessClaims(payload, settings)
    else { throw .invalid }
    known.insert(claims, of: token)
    return claims
  }
}

/// The claims of an access token.
struct AccessClaims: Sendable, Equatable {
  let userID: RegistryID
  let sessionID: RegistryID
  /// When the token was issued, in seconds since 1970.
  let issuedAt: Int64
  /// When the token expires, in seconds since 1970.
  let expiresAt: Int64

  /// Returns the payload, one JSON object.
  func json(_ settings: TokenSettings) -> [UInt8] {
    var out = ByteBuffer(capacity: 320)
    out.append("{\"sub\":")
    out.appendJSONString(userID.text)
    out.append(",\"sid\":")
    out.appendJSONString(sessionID.text)
    out.append(utf8: ",\"iat\":\(issuedAt),\"exp\":\(expiresAt),\"iss\":")
    out.appendJSONString(settings.issuer)
    out.append(",\"aud\":")
    out.appendJSONString(settings.audience)
    out.append(",\"typ\":\"access\"}")
    return out.copy(0..<out.count)
  }

  init(userID: RegistryID, sessionID: RegistryID, issuedAt: Int64, expiresAt: Int64) {
    self.userID = userID
    self.sessionID = sessionID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// Reads a payload whose signature was verified; returns nil if it is not an access token of this issuer for this
  /// audience.
  init?(_ payload: JSONValue, _ settings: TokenSettings) {
    guard
      payload["typ"]?.string.map({ $0.utf8.elementsEqual("access".utf8) }) == true,
      payload["iss"]?.string.map({ $0.utf8.elementsEqual(settings.issuer.utf8) }) == true,
      payload["aud"]?.string.map({ $0.utf8.elementsEqual(settings.audience.utf8) }) == true,
      let userID = payload["sub"]?.string.flatMap(RegistryID.init(_:)),
      let sessionID = payload["sid"]?.string.flatMap(RegistryID.init(_:)),
      let issuedAt = payload["iat"]?.integer, let expiresAt = payload["exp"]?.integer
    else { return nil }
    self.init(userID: userID, sessionID: sessionID, issuedAt: issuedAt, expiresAt: expiresAt)
  }
}

/// A cache of tokens whose signatures were verified, with their claims: a client sends the same token with each
/// request.
///
/// Changing conditions are checked each time: whether a token has expired, whether its session is live, whether its
/// user exists.
final class VerifiedTokenCache: Sendable {
  /// The maximum number of entries; one more clears the cache.
  private static let limit = 4096
  private let known = Mutex<[[UInt8]: AccessClaims]>([:])

  func claims(_ token: [UInt8]) -> AccessClaims? { known.withLock { $0[token] } }

  func insert(_ claims: AccessClaims, of token: [UInt8]) {
    known.withLock { known in
      if known.count >= Self.limit { known = [:] }
      known[token] = claims
    }
  }
}
