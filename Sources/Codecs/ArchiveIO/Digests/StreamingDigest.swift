#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// Computes a checksum of data that arrives in pieces. A digest can be reused for many files.
///
/// No other file in this module uses libcrypto or CryptoKit.
package final class StreamingDigest {
  /// The algorithm.
  let algorithm: DigestAlgorithm

  #if canImport(CryptoKit)
    private var hash: any HashFunction

    /// Creates a digest.
    package init(_ algorithm: DigestAlgorithm) {
      self.algorithm = algorithm
      hash = Self.hash(algorithm)
    }

    /// Adds bytes to the digest.
    package func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    /// Returns the checksum of all bytes since the last call.
    package func finish() -> [UInt8] {
      defer { hash = Self.hash(algorithm) }
      return Array(hash.finalize())
    }

    private static func hash(_ algorithm: DigestAlgorithm) -> any HashFunction {
      switch algorithm {
      case .md5: Insecure.MD5()
      case .sha1: Insecure.SHA1()
      case .sha256: SHA256()
      case .sha384: SHA384()
      case .sha512: SHA512()
      }
    }
  #else
    private let context: OpaquePointer?
    private let kind: OpaquePointer?
    private let fetched: OpaquePointer?

    /// Creates a digest.
    package init(_ algorithm: DigestAlgorithm) {
      self.algorithm = algorithm
      // The algorithm is fetched once. Otherwise, libcrypto 3 looks it up for every file.
      fetched = EVP_MD_fetch(nil, algorithm.rawValue, nil)
      kind = fetched ?? EVP_get_digestbyname(algorithm.rawValue)
      context = EVP_MD_CTX_new()
      let done = EVP_DigestInit_ex(context, kind, nil)
      // A digest is missing only if libcrypto was built or configured without it. Packs cannot be checked then.
      precondition(done == 1, "libcrypto lacks \(algorithm.rawValue)")
    }

    deinit {
      EVP_MD_CTX_free(context)
      EVP_MD_free(fetched)
    }

    /// Adds bytes to the digest.
    package func update(_ bytes: UnsafeRawBufferPointer) {
      EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of all bytes since the last call.
    package func finish() -> [UInt8] {
      let result = [UInt8](unsafeUninitializedCapacity: algorithm.length) { room, count in
        EVP_DigestFinal_ex(context, room.baseAddress, nil)
        count = algorithm.length
      }
      EVP_DigestInit_ex(context, kind, nil)
      return result
    }
  #endif
}
