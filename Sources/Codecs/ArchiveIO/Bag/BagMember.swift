/// A file in a bag.
public struct BagMember: Sendable, Hashable {
  /// The path in the bag, such as `data/guides/anchoring.md`.
  public let path: String
  /// The size in bytes.
  public let size: Int
  /// The SHA-256 digest of the content in lower-case hexadecimal digits.
  public let sha256: String

  /// Creates the description of a file.
  public init(path: String, size: Int, sha256: String) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}
