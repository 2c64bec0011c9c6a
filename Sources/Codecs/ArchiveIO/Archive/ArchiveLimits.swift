/// The limits beyond which an archive is rejected as hostile.
///
/// - Source: docs/DESIGN.md §7
public struct ArchiveLimits: Sendable, Hashable {
  /// The largest number of entries, including folders.
  public var entries = 250_000
  /// The largest number of bytes in all files together.
  public var bytes = 1 << 40
  /// The number of bytes to which each byte of the archive may unpack, beyond the first `freeBytes`.
  public var ratio = 500
  /// The number of bytes to which an archive may unpack regardless of its size.
  public var freeBytes = 64 << 20
  /// The largest number of folders above a file.
  public var depth = 16
  /// The largest length of a path in bytes.
  public var pathBytes = 1000

  /// The largest length of all paths together in bytes.
  public var allPathBytes = 32 << 20

  /// The limits that FleetKit uses.
  public static let standard = ArchiveLimits()

  /// Creates the standard limits, which can be changed afterwards.
  public init() {}
}
