/// How much of an archive is believed before it is refused as hostile.
///
/// - Source: docs/DESIGN.md §7
public struct ArchiveLimits: Sendable, Hashable {
  /// How many entries there may be, folders included.
  public var entries = 250_000
  /// How many bytes all files together may have.
  public var bytes = 1 << 40
  /// How many bytes may come of each byte of the archive, beyond the first `freeBytes`.
  public var ratio = 500
  /// How many bytes may come of an archive whatever its size.
  public var freeBytes = 64 << 20
  /// How many folders deep a file may lie.
  public var depth = 16
  /// How many bytes a path may have.
  public var pathBytes = 1000

  /// How many bytes all paths together may have.
  public var allPathBytes = 32 << 20

  /// What FleetKit allows.
  public static let standard = ArchiveLimits()

  /// Makes limits; change what should differ.
  public init() {}
}
