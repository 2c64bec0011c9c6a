import Interchange

/// Detects content that packs so well that readers would refuse its archive as a bomb.
///
/// The bounds are about half of what `ArchiveLimits` allows, because readers count while they read and not only at the
/// end.
enum CompressionRatioGuard {
  /// How many bytes each byte of a written archive may unpack to.
  static let ratio = ArchiveLimits.standard.ratio * 2 / 5

  /// How many bytes an archive may unpack to before the ratio is checked.
  static let free = ArchiveLimits.standard.freeBytes * 3 / 8

  /// Refuses content that a format without padding cannot hold.
  /// - Throws: `RunFailure` with status 4.
  static func check(_ plain: Int, packed: Int, of name: String) throws {
    guard plain > free, plain / ratio > packed else { return }
    throw RunFailure(
      .refused, "write '\(name)': the content packs so well that readers would refuse the archive as a bomb",
      advice: "Write a .fleetpack, which can hold such content.")
  }
}
