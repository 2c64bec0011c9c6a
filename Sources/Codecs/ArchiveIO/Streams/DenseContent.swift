import Interchange

/// Content that packs so well that its archive looks like a bomb: what is written must stay within what is read.
///
/// Half of what `ArchiveLimits` allows, because readers count as they go and not at the end.
enum DenseContent {
  /// How many bytes may come of each byte of an archive that is written.
  static let ratio = ArchiveLimits.standard.ratio * 2 / 5

  /// How many bytes may come of an archive before anybody counts.
  static let free = ArchiveLimits.standard.freeBytes * 3 / 8

  /// Refuses what a format without room for anything else cannot hold.
  /// - Throws: `RunFailure` with status 4.
  static func check(_ plain: Int, packed: Int, of name: String) throws {
    guard plain > free, plain / ratio > packed else { return }
    throw RunFailure(
      .refused, "write '\(name)': the content packs so well that readers would take the archive for a bomb",
      advice: "Write a .fleetpack, which has room for that.")
  }
}
