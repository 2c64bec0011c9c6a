import Interchange

/// A minisign secret key: an Ed25519 seed with its key id. It stays in memory only as long as it is needed.
public final class MinisignSecretKey {
  /// The public half of the key.
  public let publicKey: MinisignKey
  private var seed: [UInt8]

  /// The size of a secret key's second line in bytes.
  static let count = 158

  /// Makes a new key from unpredictable random bytes.
  public init() {
    seed = SignatureBackend.random(32)
    // Any 32 bytes are a valid seed, so this fails only if libcrypto lacks Ed25519. Signatures cannot work then.
    guard let key = SignatureBackend.publicKey(seed: seed) else { preconditionFailure("there is no Ed25519") }
    publicKey = MinisignKey(number: SignatureBackend.random(8), ed25519: key)
  }

  init(publicKey: MinisignKey, seed: [UInt8]) {
    self.publicKey = publicKey
    self.seed = seed
  }

  deinit { SignatureBackend.wipe(&seed) }

  /// Signs a file, given its fingerprint, with the current algorithm, which signs a hash of the file.
  /// - Parameter trustedComment: one line of at most 8192 bytes, which is also signed.
  /// - Throws: `RunFailure` with status 70 if a comment is invalid.
  public func sign(
    _ file: FileFingerprint, trustedComment: String, untrustedComment: String? = nil
  ) throws -> MinisignSignature {
    let comment = Array(trustedComment.utf8)
    let untrusted = Array((untrustedComment ?? "signature from fleetkit, key \(publicKey.id)").utf8)
    guard comment.count <= MinisignSignature.longestTrustedComment,
      untrusted.count <= MinisignSignature.longestComment,
      !(comment + untrusted).contains(where: { [0, 10, 13].contains($0) })
    else { throw RunFailure(.internalError, "sign '\(file.path)': the comment is not a single line of text") }
    guard let signature = SignatureBackend.sign(file.blake2b512, seed: seed),
      let global = SignatureBackend.sign(signature + comment, seed: seed)
    else { throw RunFailure(.internalError, "sign '\(file.path)': Ed25519 failed") }
    return MinisignSignature(
      algorithm: .hashed, number: publicKey.number, signature: signature, untrustedComment: untrusted,
      trustedCommentBytes: comment, globalSignature: global)
  }

  /// Passes the parts of the key that the file's checksum covers and a password encrypts: the key id, the seed and the
  /// public key.
  func withHalves<Result>(_ body: (_ seed: [UInt8], _ ed25519: [UInt8]) throws -> Result) rethrows -> Result {
    try body(seed, publicKey.ed25519)
  }
}
