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
