#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

/// Provides Ed25519, scrypt, BLAKE2b-512 and the handling of secrets. No other file in this module uses libcrypto or
/// CryptoKit.
package enum SignatureBackend {
  /// Whether keys with a password can be decrypted. CryptoKit has no scrypt.
  package static var hasScrypt: Bool {
    #if canImport(CryptoKit)
      false
    #else
      true
    #endif
  }

  /// Returns unpredictable random bytes.
  package static func random(_ count: Int) -> [UInt8] {
    #if canImport(CryptoKit)
      return SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    #else
      var bytes = [UInt8](repeating: 0, count: count)
      let done = RAND_bytes(&bytes, Int32(count))
      // A key that is not random must never be used.
      precondition(done == 1, "libcrypto has no random bytes")
      return bytes
    #endif
  }

  /// Overwrites bytes, so that they do not stay in memory.
  package static func wipe(_ bytes: inout [UInt8]) {
    #if canImport(CryptoKit)
      bytes.withUnsafeMutableBytes { room in
        if let base = room.baseAddress { _ = memset_s(base, room.count, 0, room.count) }
      }
    #else
      bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    #endif
  }

  /// Returns whether two arrays are equal. The time depends only on their length.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (first, second) in zip(left, right) { difference |= first ^ second }
    return difference == 0
  }

  /// Returns the public key for a seed, or nil if the seed does not have 32 bytes.
  package static func publicKey(seed: [UInt8]) -> [UInt8]? {
    #if canImport(CryptoKit)
      return (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)).map { Array($0.publicKey.rawRepresentation) }
    #else
      guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else { return nil }
      defer { EVP_PKEY_free(key) }
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 && count == 32 ? bytes : nil
    #endif
  }

  /// Returns the Ed25519 signature, which has 64 bytes, or nil if the seed does not have 32 bytes.
  package static func sign(_ message: [UInt8], seed: [UInt8]) -> [UInt8]? {
    #if canImport(CryptoKit)
      return (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed).signature(for: message)).map { Array($0) }
    #else
      guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else { return nil }
      defer { EVP_PKEY_free(key) }
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: 64)
      var count = signature.count
      guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
        EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
      else { return nil }
      return signature
    #endif
  }

  /// Returns whether a signature of a message was made with this key.
  package static func verify(_ signature: [UInt8], _ message: [UInt8], key: [UInt8]) -> Bool {
    guard signature.count == 64, key.count == 32 else { return false }
    #if canImport(CryptoKit)
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
      return key.isValidSignature(signature, for: message)
    #else
      guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else { return false }
      defer { EVP_PKEY_free(key) }
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
      return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    #endif
  }

  /// Computes scrypt. Returns nil if there is not enough memory or if this platform lacks scrypt.
  package static func scrypt(
    _ password: [UInt8], salt: [UInt8], _ cost: ScryptCost, length: Int
  ) -> [UInt8]? {
    #if canImport(CryptoKit)
      return nil
    #else
      var result = [UInt8](repeating: 0, count: length)
      let done = password.withUnsafeBytes { password in
        EVP_PBE_scrypt(
          password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count, cost.n, cost.r,
          cost.p, cost.memory + 1 << 20, &result, length)
      }
      return done == 1 ? result : nil
    #endif
  }
}

/// Computes a BLAKE2b-512 digest of data that arrives in pieces. It uses libcrypto where available, because that is
/// faster.
package struct Blake2b512: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = Blake2b(length: 64)
  #else
    private let context: OpaquePointer?
  #endif

  /// Creates a digest.
  package init() {
    #if !canImport(CryptoKit)
      context = EVP_MD_CTX_new()
      let done = EVP_DigestInit_ex(context, EVP_blake2b512(), nil)
      precondition(done == 1, "libcrypto lacks BLAKE2b")
    #endif
  }

  #if !canImport(CryptoKit)
    deinit { EVP_MD_CTX_free(context) }
  #endif

  /// Adds bytes to the digest.
  package mutating func update(_ bytes: Span<UInt8>) {
    #if canImport(CryptoKit)
      hash.update(bytes)
    #else
      bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    #endif
  }

  /// Returns the 64 bytes of the digest.
  package mutating func finish() -> [UInt8] {
    #if canImport(CryptoKit)
      return hash.finish()
    #else
      var result = [UInt8](repeating: 0, count: 64)
      EVP_DigestFinal_ex(context, &result, nil)
      return result
    #endif
  }
}
