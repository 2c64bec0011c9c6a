/// A checksum that manifests are made of.
///
/// MD5 and SHA-1 say that nothing broke by accident; only the SHA-2 family says that nobody changed anything.
public enum DigestAlgorithm: String, Sendable, CaseIterable {
  /// 16 bytes.
  case md5
  /// 20 bytes.
  case sha1
  /// 32 bytes, which our own bags use.
  case sha256
  /// 48 bytes.
  case sha384
  /// 64 bytes.
  case sha512

  /// How many bytes a checksum has.
  public var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Whether nobody can make another file of the same checksum.
  public var isStrong: Bool { self != .md5 && self != .sha1 }
}
