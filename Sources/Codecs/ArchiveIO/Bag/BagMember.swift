/// One file of a bag.
public struct BagMember: Sendable, Hashable {
  /// Its path in the bag: `data/guides/anchoring.md`.
  public let path: String
  /// Its size in bytes.
  public let size: Int
  /// SHA-256 of its bytes in lower-case hexadecimal digits.
  public let sha256: String

  /// Creates the description of a file.
  public init(path: String, size: Int, sha256: String) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}
