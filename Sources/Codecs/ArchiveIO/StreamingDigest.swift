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
    package func update(_ bytes: Span<UInt8>) { bytes.withUnsafeBytes { hash.update(bufferPointer: $0) } }

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
    package func update(_ bytes: Span<UInt8>) {
      bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
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

/// A checksum algorithm that manifests use.
///
/// MD5 and SHA-1 detect only accidental damage; the SHA-2 family also detects deliberate changes.
public enum DigestAlgorithm: String, Sendable, CaseIterable {
  /// MD5, with 16 bytes.
  case md5
  /// SHA-1, with 20 bytes.
  case sha1
  /// SHA-256, with 32 bytes. FleetKit's own bags use it.
  case sha256
  /// SHA-384, with 48 bytes.
  case sha384
  /// SHA-512, with 64 bytes.
  case sha512

  /// The length of a checksum in bytes.
  public var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Whether it is infeasible to create another file with the same checksum.
  public var isStrong: Bool { self != .md5 && self != .sha1 }
}

/// The checksums of one file. They take as little memory as possible, because an archive may have very many files.
struct DigestSet {
  /// The checksum of each algorithm that is present, in the order of `allCases`.
  private var bytes: [UInt8] = []
  private var mask: UInt8 = 0

  /// A checksum; nil if it was not computed.
  subscript(algorithm: DigestAlgorithm) -> [UInt8]? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return Array(bytes[at..<(at + other.length)]) }
      at += other.length
    }
    return nil
  }

  /// Returns whether a file's checksum equals `digest`, or nil if it was not computed.
  func matches(_ digest: [UInt8], _ algorithm: DigestAlgorithm) -> Bool? {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() where mask & 1 << index != 0 {
      if other == algorithm { return bytes[at..<(at + other.length)].elementsEqual(digest) }
      at += other.length
    }
    return nil
  }

  /// Adds a checksum that is not yet in the set.
  mutating func add(_ digest: [UInt8], _ algorithm: DigestAlgorithm) {
    var at = 0
    for (index, other) in DigestAlgorithm.allCases.enumerated() {
      if other == algorithm {
        bytes.insert(contentsOf: digest, at: at)
        mask |= 1 << index
        return
      }
      if mask & 1 << index != 0 { at += other.length }
    }
  }
}
