import Foundation
import JWTKit
import RegistryModel

/// Signs and verifies access tokens: HS256, nothing else.
///
/// A token's header is compared as a whole with the headers that this registry writes. So no header is ever parsed,
/// and `alg` is nothing that a sender could choose.
struct AccessTokens: Sendable {
  /// A secret, ready for use.
  private struct Signer: Sendable {
    /// The first part of every token that it signs.
    let header: [UInt8]
    let algorithm: any JWTAlgorithm
  }

  private let signers: [Signer]
  private let settings: TokenSettings
  private let known = KnownTokens()

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

  /// Writes a token, with the first key.
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

  /// The refresh token that follows another one: the same whenever that one is exchanged, and known to nobody who does
  /// not have the first key.
  func successor(of token: RefreshToken) throws -> RefreshToken {
    guard let signer = signers.first else { throw SigningKeyFailure.missing }
    // No access token is signed over these bytes: they have a zero among them.
    let secret = try signer.algorithm.sign(Array("fleetkit.refresh\0\(token.text)".utf8))
    return RefreshToken(secret: Array(secret))
  }

  /// What a token says that this registry signed and that has not ended.
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
    known.keep(claims, of: token)
    return claims
  }
}
