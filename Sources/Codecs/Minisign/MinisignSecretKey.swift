import Foundation
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

  /// Passes to `body` the parts of the key that the file's checksum covers and a password encrypts: the key id, the
  /// seed and the public key.
  private func withHalves<Result>(_ body: (_ seed: [UInt8], _ ed25519: [UInt8]) throws -> Result) rethrows -> Result {
    try body(seed, publicKey.ed25519)
  }
}

/// The file format of secret keys. A secret key is unencrypted, or encrypted with a password that is expensive to
/// guess.
///
/// The fields are the algorithm `Ed`, the key derivation `Sc` or two zeros, the checksum algorithm `B2`, 32 bytes of
/// salt, operations and memory. The key id, seed, public key and checksum follow; they are combined with the password's
/// bytes by XOR.
/// - Source: minisign's page, "Secret key format"; minisign 0.11 sets salt, costs and checksum to zero if there is no
///   password
extension MinisignSecretKey {
  private static let hidden = 104

  /// Reads a key's file.
  /// - Parameter password: called if the key needs a password; returns nil if no password is available.
  /// - Throws: `RunFailure` with status 2 if the key cannot be used. If the file is damaged, the failure names the
  ///   line.
  public static func read(_ path: String, password: () throws -> [UInt8]?) throws -> MinisignSecretKey {
    let what = "read the secret key '\(path)'"
    let advice = "A secret key is a file that 'fleetkit pack keygen' or 'minisign -G' wrote."
    var bytes = try MinisignLines.read(path, what: what, status: .failed, advice: advice)
    defer { SignatureBackend.wipe(&bytes) }
    let lines = try MinisignLines(bytes, what: what, status: .failed, advice: advice)
    try lines.require(2)
    _ = try lines.comment(1, MinisignSignature.untrustedPrefix, limit: MinisignSignature.longestComment)
    if (try? lines.base64(2, count: MinisignKey.count)) != nil {
      throw RunFailure(
        .failed, "\(what): this is a public key", advice: "Sign with the secret key, whose name ends in .key.")
    }
    var key = try lines.base64(2, count: count)
    defer { SignatureBackend.wipe(&key) }
    guard key.starts(with: Array("Ed".utf8)) else { throw lines.failure(2, "it is not an Ed25519 key") }
    guard key[4..<6].elementsEqual("B2".utf8) else { throw lines.failure(2, "its checksum has an unknown algorithm") }
    var open = Array(key[54...])
    defer { SignatureBackend.wipe(&open) }
    let isProtected = key[2..<4].elementsEqual("Sc".utf8)
    guard isProtected || key[2..<4].elementsEqual([0, 0]) else {
      throw lines.failure(2, "its key derivation is not supported")
    }
    if isProtected { try unlock(&open, key, what, password) }
    // Without a password, minisign writes no checksum, but the two halves of the key verify each other.
    let sum = Array(open[72...])
    let expected = checksum(number: open[0..<8], halves: open[8..<72])
    let isRight = SignatureBackend.isEqual(sum, expected) || !isProtected && sum.allSatisfy { $0 == 0 }
    guard isRight, let half = SignatureBackend.publicKey(seed: Array(open[8..<40])),
      SignatureBackend.isEqual(half, Array(open[40..<72]))
    else {
      throw isProtected
        ? RunFailure(
          .failed, "\(what): the password is wrong, or the file is damaged", advice: "Enter the password again.")
        : lines.failure(2, "it is damaged: seed and key do not match")
    }
    return MinisignSecretKey(
      publicKey: MinisignKey(number: Array(open[0..<8]), ed25519: half), seed: Array(open[8..<40]))
  }

  private static func unlock(
    _ hidden: inout [UInt8], _ key: [UInt8], _ what: String, _ password: () throws -> [UInt8]?
  ) throws {
    guard SignatureBackend.hasScrypt else {
      throw RunFailure(
        .failed, "\(what): it is protected with a password, but this platform has no scrypt to decrypt it",
        advice: "Use a key without a password (minisign -G -W), or sign on Linux.")
    }
    let cost = ScryptCost(operations: number(key[38..<46]), memory: number(key[46..<54]))
    guard cost.isBearable else {
      throw RunFailure(
        .failed, "\(what): line 2: it requires more memory or time than any legitimate key",
        advice: "The file is damaged or was made to overload the machine.")
    }
    guard var password = try password() else {
      throw RunFailure(
        .failed, "\(what): it is protected with a password, but there is no terminal to enter it",
        advice: "Add --password-file FILE, or set FLEETKIT_PASSWORD.")
    }
    defer { SignatureBackend.wipe(&password) }
    guard var stream = SignatureBackend.scrypt(password, salt: Array(key[6..<38]), cost, length: Self.hidden) else {
      throw RunFailure(.failed, "\(what): decrypting it takes \(cost.memory >> 20) MiB of memory")
    }
    defer { SignatureBackend.wipe(&stream) }
    for index in hidden.indices { hidden[index] ^= stream[index] }
  }

  /// Writes the key's file, which only its owner can read. An existing file is never overwritten.
  /// - Parameter password: protects the key; nil leaves it unencrypted.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  public func write(to path: String, password: [UInt8]?) throws {
    try write(
      to: path, password: password, operations: ScryptCost.sensitiveOperations, memory: ScryptCost.sensitiveMemory)
  }

  /// Writes the key's file with an explicit cost, given as libsodium's operations and bytes.
  package func write(to path: String, password: [UInt8]?, operations: UInt64, memory: UInt64) throws {
    var bytes = try fileBytes(path, password: password, cost: (operations, memory))
    defer { SignatureBackend.wipe(&bytes) }
    try KeyFile.write(bytes, to: path, mode: 0o600)
  }

  private func fileBytes(
    _ path: String, password: [UInt8]?, cost: (operations: UInt64, memory: UInt64)
  ) throws -> [UInt8] {
    let number = publicKey.number
    var open = withHalves { seed, ed25519 in number + seed + ed25519 }
    defer { SignatureBackend.wipe(&open) }
    var key: [UInt8]
    if let password {
      open += Self.checksum(number: open[0..<8], halves: open[8..<72])
      let salt = SignatureBackend.random(32)
      let picked = ScryptCost(operations: cost.operations, memory: cost.memory)
      guard SignatureBackend.hasScrypt else {
        throw RunFailure(
          .failed, "write the secret key '\(path)': this platform has no scrypt to encrypt it with a password",
          advice: "Add --no-password, and keep the file where only you can read it.")
      }
      guard picked.isBearable,
        var stream = SignatureBackend.scrypt(password, salt: salt, picked, length: Self.hidden)
      else {
        throw RunFailure(
          .failed, "write the secret key '\(path)': encrypting it takes \(cost.memory >> 20) MiB of memory",
          advice: "Make the key on a machine with more memory, or add --no-password.")
      }
      defer { SignatureBackend.wipe(&stream) }
      for index in open.indices { open[index] ^= stream[index] }
      key = Array("EdScB2".utf8) + salt + Self.bytes(cost.operations) + Self.bytes(cost.memory)
    } else {
      key = Array("Ed\0\0B2".utf8) + [UInt8](repeating: 0, count: 48)
      open += [UInt8](repeating: 0, count: 32)
    }
    key += open
    defer { SignatureBackend.wipe(&key) }
    let kind = password == nil ? "minisign unencrypted secret key" : "minisign encrypted secret key"
    return Array("\(MinisignSignature.untrustedPrefix)\(kind)\n".utf8) + StrictBase64.encode(key) + [UInt8(ascii: "\n")]
  }

  private static func checksum(number: ArraySlice<UInt8>, halves: ArraySlice<UInt8>) -> [UInt8] {
    Blake2b.hash(Array("Ed".utf8) + number + halves, length: 32)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}

/// The cost of trying one password.
///
/// A secret key's file states the cost in libsodium's units, operations and bytes, but scrypt takes N, r and p.
/// - Source: libsodium, `crypto_pwhash_scryptsalsa208sha256` and its `pickparams`
package struct ScryptCost: Sendable, Hashable {
  /// scrypt's parameters.
  package let n: UInt64, r: UInt64, p: UInt64

  /// The operations that minisign uses for new keys. A try takes a second or two, and 1 GiB of memory.
  package static let sensitiveOperations: UInt64 = 33_554_432
  /// The memory in bytes that minisign uses for new keys.
  package static let sensitiveMemory: UInt64 = 1 << 30

  /// The memory that one try takes, in bytes.
  package var memory: UInt64 { 128 * r * (n + p + 2) }

  /// Whether a file may require this cost. The limits are 2 GiB and eight times the work for a usual key.
  package var isBearable: Bool { n <= 1 << 21 && n * p <= 1 << 23 }

  /// The parameters that libsodium picks.
  package init(operations: UInt64, memory: UInt64) {
    let operations = max(operations, 32_768)
    r = 8
    let isShort = operations < memory / 32
    let most = isShort ? operations / (r * 4) : memory / (r * 128)
    var log: UInt64 = 1
    while log < 63, 1 << log <= most / 2 { log += 1 }
    n = 1 << log
    p = isShort ? 1 : min(operations / 4 / n, 0x3fff_ffff) / r
  }
}
