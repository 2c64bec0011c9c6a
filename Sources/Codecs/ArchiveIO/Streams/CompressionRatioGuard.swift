import Interchange

/// Detects content that packs so well that readers would reject its archive as a bomb.
///
/// The bounds are about half of the limits in `ArchiveLimits`, because readers check them while they read and not only
/// at the end.
enum CompressionRatioGuard {
  /// The number of bytes to which each byte of a written archive may unpack.
  static let ratio = ArchiveLimits.standard.ratio * 2 / 5

  /// The number of bytes to which an archive may unpack before the ratio is checked.
  static let free = ArchiveLimits.standard.freeBytes * 3 / 8

  /// Checks that content can be stored in a format without padding.
  /// - Throws: `RunFailure` with status 4 if the content packs too well.
  static func check(_ plain: Int, packed: Int, of name: String) throws {
    guard plain > free, plain / ratio > packed else { return }
    throw RunFailure(
      .refused, "write '\(name)': the content packs so well that readers would reject the archive as a bomb",
      advice: "Write a .fleetpack, which can hold such content.")
  }
}
