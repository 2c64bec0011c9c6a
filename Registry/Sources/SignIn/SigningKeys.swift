import Content
import JSONText

/// The secrets for access tokens: the first one signs, and all of them verify.
///
/// To change the secret without signing everybody out, put the new secret first, and keep the old one until the last
/// access token that it signed has expired.
public struct SigningKeys: Sendable {
  /// The minimum length of a secret, in bytes: the length of a SHA-256 hash (RFC 7518 §3.2).
  public static let shortest = 32

  /// One secret with its name in token headers.
  struct Key: Sendable {
    let id: String
    let secret: [UInt8]

    init(_ secret: [UInt8]) {
      self.secret = secret
      // The name is a hash, so that a new secret needs no name of its own. The hash reveals nothing about a good
      // secret.
      id = Digest.hex(Array(SecretBytes.sha256(Array("fleetkit.kid\0".utf8) + secret).prefix(4)))
    }
  }

  /// The secrets; never empty.
  let keys: [Key]

  /// Creates keys from one secret, in the form of `JWT_SECRET_KEY`: its UTF-8 is the key.
  /// - Throws: `SigningKeyFailure` if the secret is missing or too short.
  public init(secret: String) throws(SigningKeyFailure) { try self.init([Array(secret.utf8)]) }

  /// Reads a key file with one secret per line, the first of which signs. White space around secrets and empty lines
  /// are ignored.
  /// - Throws: `SigningKeyFailure` if there is no secret, or one is too short.
  public init(file: [UInt8]) throws(SigningKeyFailure) {
    let lines = file.split { $0 == 10 || $0 == 13 }.map { line in
      Array(line.drop { $0 == 32 || $0 == 9 }.reversed().drop { $0 == 32 || $0 == 9 }.reversed())
    }
    try self.init(lines.filter { !$0.isEmpty })
  }

  /// Creates a random secret that is lost when the process ends; for development.
  public static func random() -> SigningKeys { SigningKeys(keys: [Key(SecretBytes.random(shortest))]) }

  private init(keys: [Key]) { self.keys = keys }

  private init(_ secrets: [[UInt8]]) throws(SigningKeyFailure) {
    guard let first = secrets.first, !first.isEmpty else { throw .missing }
    for (position, secret) in secrets.enumerated() where secret.count < Self.shortest {
      throw .short(position: position, bytes: secret.count)
    }
    keys = secrets.map(Key.init)
  }
}

/// The reason why there is no usable signing key.
public enum SigningKeyFailure: Error, Sendable, Equatable {
  /// There is no secret.
  case missing
  /// The secret at that position (0 is the first) has fewer bytes than `SigningKeys.shortest`.
  case short(position: Int, bytes: Int)
}

/// Random bytes for keys and tokens, from the operating system's generator.
enum SecretBytes {
  /// Returns `count` unguessable bytes.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns the SHA-256 of a string.
  static func sha256(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }

  /// Returns the SHA-256 of bytes.
  static func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256(bytes.span) }
}

/// A refresh token. It is random, and only its holder has its plain text; the store has its SHA-256.
struct RefreshToken {
  /// A prefix by which people and secret scanners recognize the token.
  static let prefix = "fkr_"

  let text: String
  /// The hash that the store has, 32 bytes. The token has 256 random bits, which cannot be guessed, so a plain hash is
  /// enough.
  var hash: [UInt8] { SecretBytes.sha256(text) }

  /// Creates a random token.
  init() { self.init(secret: SecretBytes.random(32)) }

  /// Creates a token from 32 unguessable bytes.
  init(secret: [UInt8]) {
    text = Self.prefix + String(decoding: Base64URL.encode(secret), as: UTF8.self)
  }

  /// Parses a client's token; returns nil for anything that was never issued.
  init?(_ text: String) {
    guard
      text.utf8.count == 47, text.utf8.starts(with: Self.prefix.utf8),
      Base64URL.decode(Array(text.utf8.dropFirst(4)))?.count == 32
    else { return nil }
    self.text = text
  }
}
