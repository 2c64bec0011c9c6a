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
