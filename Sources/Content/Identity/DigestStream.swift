#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// SHA-256 of bytes that come piece by piece.
package struct DigestStream: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private let context: OpaquePointer?
  #endif

  /// Begins.
  package init() {
    #if !canImport(CryptoKit)
      context = EVP_MD_CTX_new()
      let done = EVP_DigestInit_ex(context, EVP_sha256(), nil)
      precondition(done == 1, "libcrypto lacks SHA-256")
    #endif
  }

  #if !canImport(CryptoKit)
    deinit { EVP_MD_CTX_free(context) }
  #endif

  /// Takes more bytes.
  package mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
    #if canImport(CryptoKit)
      hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
    #else
      EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    #endif
  }

  /// The 32 bytes of the hash.
  package mutating func finish() -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(hash.finalize())
    #else
      var result = [UInt8](repeating: 0, count: 32)
      EVP_DigestFinal_ex(context, &result, nil)
      return result
    #endif
  }
}
