import JSONText

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// The two digests that content needs: SHA-1 and SHA-256. This is the only file that uses libcrypto or CryptoKit.
public enum Digest {
  /// Returns the SHA-256 of `bytes`, 32 bytes.
  public static func sha256(_ bytes: Span<UInt8>) -> [UInt8] {
    #if canImport(CryptoKit)
      var hash = SHA256()
      bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
      return Array(hash.finalize())
    #else
      return Array(unsafeUninitializedCapacity: 32) { out, count in
        digest(bytes, sha256, into: out.baseAddress, length: 32)
        count = 32
      }
    #endif
  }

  /// The 20 bytes of a SHA-1, in memory order. The last four bytes are unused.
  typealias SHA1 = (UInt64, UInt64, UInt64)

  /// Returns the SHA-1 of `bytes`. For name-based UUIDs only, never for trust.
  static func sha1(_ bytes: Span<UInt8>) -> SHA1 {
    var result: SHA1 = (0, 0, 0)
    withUnsafeMutableBytes(of: &result) { out in
      #if canImport(CryptoKit)
        var hash = Insecure.SHA1()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        hash.finalize().withUnsafeBytes { out.copyMemory(from: $0) }
      #else
        digest(bytes, sha1, into: out.baseAddress?.assumingMemoryBound(to: UInt8.self), length: 20)
      #endif
    }
    return result
  }

  /// Returns bytes as lower-case hexadecimal digits.
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
    /// Fetched once, because libcrypto looks up `EVP_sha1` under a lock for every digest. The fetched value never
    /// changes and is safe to use on any thread.
    private nonisolated(unsafe) static let sha1 = EVP_MD_fetch(nil, "SHA1", nil) ?? EVP_sha1()
    private nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

    private static func digest(
      _ bytes: Span<UInt8>, _ algorithm: OpaquePointer?, into out: UnsafeMutablePointer<UInt8>?, length: Int
    ) {
      var written: UInt32 = 0
      let done = bytes.withUnsafeBytes {
        EVP_Digest($0.baseAddress, $0.count, out, &written, algorithm, nil)
      }
      // libcrypto refuses SHA-1 or SHA-256 only if it was built or configured without them. FleetKit cannot work in
      // that case.
      precondition(done == 1 && Int(written) == length, "libcrypto lacks SHA-1 or SHA-256")
    }
  #endif
}

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// Computes the SHA-256 of bytes that arrive in pieces.
package struct DigestStream: ~Copyable {
  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private let context: OpaquePointer?
  #endif

  /// Begins a hash.
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

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes {
      #if canImport(CryptoKit)
        hash.update(bufferPointer: $0)
      #else
        _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count)
      #endif
    }
  }

  /// Returns the 32 bytes of the hash.
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

/// A fast 64-bit hash that is the same in every run and on every machine.
///
/// It detects accidental changes but does not resist attacks.
public struct FastHash: Sendable {
  @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Begins an empty hash.
  @inlinable public init() {}

  /// The hash of all bytes and numbers added so far.
  @inlinable public var value: UInt64 { state }

  /// Returns the hash of `bytes` as 16 hexadecimal digits.
  public static func digits(of bytes: Span<UInt8>) -> [UInt8] {
    var hash = FastHash()
    hash.add(bytes)
    return (0..<16).map { place in
      let digit = UInt8(truncatingIfNeeded: hash.state >> (60 - 4 * place)) & 15
      return digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
    }
  }

  /// Adds a number.
  @inlinable @inline(__always)
  public mutating func add(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    state = (high ^ low) &+ 0xE703_7ED1_A0B4_28DB
  }

  /// Adds bytes and their count.
  @inlinable
  public mutating func add(_ bytes: Span<UInt8>) {
    add(UInt64(bytes.count))
    guard !bytes.isEmpty else { return }
    var at = 0
    while at + 8 <= bytes.count {
      add(bytes.word(at: at))
      at += 8
    }
    var last: UInt64 = 0
    while at < bytes.count {
      last = last << 8 | UInt64(bytes[at])
      at += 1
    }
    add(last)
  }
}
