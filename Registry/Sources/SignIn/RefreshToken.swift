/// A refresh token: random, known in plain only to its holder; the store has its SHA-256.
struct RefreshToken {
  /// Lets people and secret scanners see what it is.
  static let prefix = "fkr_"

  let text: String
  /// 32 bytes. The token has 256 random bits, so that a plain hash is enough: there is nothing to guess.
  var hash: [UInt8] { SecretBytes.sha256(text) }

  /// A new token.
  init() { self.init(secret: SecretBytes.random(32)) }

  /// A token of 32 bytes that nobody can guess.
  init(secret: [UInt8]) {
    text = Self.prefix + String(decoding: Base64URL.encode(secret), as: UTF8.self)
  }

  /// Takes what a client sent; nil for anything that was never given out.
  init?(_ text: String) {
    guard
      text.utf8.count == 47, text.utf8.starts(with: Self.prefix.utf8),
      Base64URL.decode(Array(text.utf8.dropFirst(4)))?.count == 32
    else { return nil }
    self.text = text
  }
}
