/// Files that lie inside something larger, as those of a pack do, in memory that they are read from in place.
public protocol MemberSource: Sendable {
  /// The source that they lie in, as the user named it; findings call a file by this name, a slash, and its path.
  var name: String { get }

  /// Their paths, in the order of reading.
  var paths: [String] { get }

  /// The bytes of one, valid while the source is.
  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8>
}
