/// A checksum algorithm that manifests use.
///
/// MD5 and SHA-1 detect accidental damage; only the SHA-2 family also detects deliberate changes.
public enum DigestAlgorithm: String, Sendable, CaseIterable {
  /// 16 bytes.
  case md5
  /// 20 bytes.
  case sha1
  /// 32 bytes; FleetKit's own bags use it.
  case sha256
  /// 48 bytes.
  case sha384
  /// 64 bytes.
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

  /// Whether it is infeasible to make another file with the same checksum.
  public var isStrong: Bool { self != .md5 && self != .sha1 }
}
