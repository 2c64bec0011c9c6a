import Content
import Foundation
import JSONText
import JWTKit

/// Makes valid and forged tokens: in tests it is both Apple and every forger.
public struct TokenForge: Sendable {
  /// A key of the simulated Apple.
  public enum Key: String, Sendable, CaseIterable {
    case first, second

    var privatePEM: String { self == .first ? TestKeys.first : TestKeys.second }
  }

  private let algorithms: [Key: any JWTAlgorithm]
  private let publicKeys: [Key: Insecure.RSA.PublicKey]

  /// The instance that all tests share: reading RSA keys takes longer than most tests.
  public static let shared = Task { try await TokenForge() }

  /// Reads the keys.
  public init() async throws {
    var algorithms: [Key: any JWTAlgorithm] = [:]
    var publicKeys: [Key: Insecure.RSA.PublicKey] = [:]
    for key in Key.allCases {
      let rsa = try Insecure.RSA.PrivateKey(pem: key.privatePEM)
      let set = await JWTKeyCollection().add(rsa: rsa, digestAlgorithm: .sha256)
      algorithms[key] = try await set.getKey()
      publicKeys[key] = rsa.publicKey
    }
    self.algorithms = algorithms
    self.publicKeys = publicKeys
  }

  /// Returns a JWK set with the public keys, in the form in which Apple publishes its own.
  public func keySet(_ keys: [Key] = [.first]) throws -> String {
    let entries = try keys.map { key in
      guard let numbers = try publicKeys[key]?.getKeyPrimitives() else { throw NoKey() }
      let modulus = Self.base64URL(Array(numbers.modulus))
      let exponent = Self.base64URL(Array(numbers.publicExponent))
      return #"{"kty":"RSA","kid":"\#(key.rawValue)","use":"sig","alg":"RS256","n":"\#(modulus)","e":"\#(exponent)"}"#
    }
    return #"{"keys":[\#(entries.joined(separator: ","))]}"#
  }

  /// Returns the public key as PEM text, which a forger uses as an HMAC secret.
  public func publicPEM(_ key: Key = .first) -> String { publicKeys[key]?.pemRepresentation ?? "" }

  /// Returns a token signed with RS256.
  public func rs256(_ payload: String, key: Key = .first, header: String? = nil) throws -> String {
    guard let algorithm = algorithms[key] else { throw NoKey() }
    let signed = Self.unsigned(header ?? #"{"kid":"\#(key.rawValue)","alg":"RS256"}"#, payload)
    return signed + "." + Self.base64URL(try algorithm.sign(Array(signed.utf8)))
  }

  /// Returns a token signed with HS256.
  public func hs256(_ payload: String, secret: String, header: String) async throws -> String {
    let set = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    let signed = Self.unsigned(header, payload)
    return signed + "." + Self.base64URL(try await set.getKey().sign(Array(signed.utf8)))
  }

  /// Returns a token without a signature.
  public static func none(_ payload: String, alg: String = "none") -> String {
    unsigned(#"{"alg":"\#(alg)","typ":"JWT"}"#, payload) + "."
  }

  /// Returns a header and payload without a signature.
  public static func unsigned(_ header: String, _ payload: String) -> String {
    base64URL(Array(header.utf8)) + "." + base64URL(Array(payload.utf8))
  }

  /// Encodes bytes as Base64 with the URL-safe alphabet, using Foundation: independent of the code under test.
  public static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the header and payload of a token as strings.
  public static func parts(of token: String) -> (header: String, payload: String) {
    let parts = token.split(separator: ".").prefix(2).map { part -> String in
      let text = String(part).replacing("-", with: "+").replacing("_", with: "/")
      let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
      return String(decoding: Data(base64Encoded: padded) ?? Data(), as: UTF8.self)
    }
    return parts.count == 2 ? (parts[0], parts[1]) : ("", "")
  }

  struct NoKey: Error {}
}

extension TokenForge {
  /// Returns the claims of an Apple identity token. A change gives the JSON of a member; nil leaves the member out.
  public static func identity(now: Timestamp, _ changes: [String: String?] = [:]) -> String {
    let seconds = now.milliseconds / 1000
    var members: [String: String?] = [
      "iss": #""https://appleid.apple.com""#, "aud": #""org.example.fleet""#, "sub": #""001234.abcdef.0567""#,
      "iat": "\(seconds)", "exp": "\(seconds + 600)", "email": #""skipper@example.com""#,
      "email_verified": #""true""#, "auth_time": "\(seconds)", "nonce_supported": "true",
    ]
    members.merge(changes) { $1 }
    let written = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
    return "{" + written.joined(separator: ",") + "}"
  }
}
