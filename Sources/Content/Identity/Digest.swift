#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// SHA-1 and SHA-256, the two digests that content needs. The only file that touches libcrypto or CryptoKit.
public enum Digest {
  /// SHA-256 of `bytes`, 32 bytes.
  public static func sha256(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    #if canImport(CryptoKit)
      var hash = SHA256()
      hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
      return Array(hash.finalize())
    #else
      return digest(bytes, sha256, length: 32)
    #endif
  }

  /// SHA-1 of `bytes`, 20 bytes. For name-based UUIDs only; never for trust.
  public static func sha1(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    #if canImport(CryptoKit)
      var hash = Insecure.SHA1()
      hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
      return Array(hash.finalize())
    #else
      return digest(bytes, sha1, length: 20)
    #endif
  }

  /// Lower-case hexadecimal.
  public static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  #if !canImport(CryptoKit)
    /// Looked up once: libcrypto looks up what `EVP_sha1` names with every digest, under a lock. What is fetched is
    /// never changed, and any thread may use it.
    private nonisolated(unsafe) static let sha1 = EVP_MD_fetch(nil, "SHA1", nil) ?? EVP_sha1()
    private nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

    private static func digest(
      _ bytes: UnsafeBufferPointer<UInt8>, _ algorithm: OpaquePointer?, length: Int
    ) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: length)
      var written: UInt32 = 0
      let done = EVP_Digest(bytes.baseAddress, bytes.count, &result, &written, algorithm, nil)
      // libcrypto refuses SHA-1 or SHA-256 only when it is built or configured without them: nothing works then.
      precondition(done == 1 && Int(written) == length, "libcrypto lacks SHA-1 or SHA-256")
      return result
    }
  #endif
}
