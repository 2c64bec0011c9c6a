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
      return Array(unsafeUninitializedCapacity: 32) { out, count in
        digest(bytes, sha256, into: UnsafeMutableRawBufferPointer(out), length: 32)
        count = 32
      }
    #endif
  }

  /// The 20 bytes of a SHA-1, in memory's order; the last four are nothing.
  typealias SHA1 = (UInt64, UInt64, UInt64)

  /// SHA-1 of `bytes`. For name-based UUIDs only; never for trust.
  static func sha1(_ bytes: UnsafeBufferPointer<UInt8>) -> SHA1 {
    var result: SHA1 = (0, 0, 0)
    withUnsafeMutableBytes(of: &result) { out in
      #if canImport(CryptoKit)
        var hash = Insecure.SHA1()
        hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
        hash.finalize().withUnsafeBytes { out.copyMemory(from: $0) }
      #else
        digest(bytes, sha1, into: out, length: 20)
      #endif
    }
    return result
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
      _ bytes: UnsafeBufferPointer<UInt8>, _ algorithm: OpaquePointer?, into out: UnsafeMutableRawBufferPointer,
      length: Int
    ) {
      var written: UInt32 = 0
      let start = out.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let done = EVP_Digest(bytes.baseAddress, bytes.count, start, &written, algorithm, nil)
      // libcrypto refuses SHA-1 or SHA-256 only when it is built or configured without them: nothing works then.
      precondition(done == 1 && Int(written) == length, "libcrypto lacks SHA-1 or SHA-256")
    }
  #endif
}
