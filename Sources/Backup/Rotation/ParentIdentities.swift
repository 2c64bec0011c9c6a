/// Finds among some backups the one that an incremental one names as its parent, by its time and place in the chain.
///
/// A parent is mostly of the same library. After `--since FILE` it may be one from before the library was renamed or
/// moved; then any of that moment is taken, because a backup that somebody may need must not look unneeded.
struct ParentIdentities {
  private let byTime: [Int64: [BackupFile]]

  init(_ files: [BackupFile]) { byTime = Dictionary(grouping: files) { $0.info.takenAt.milliseconds } }

  /// What tells the parent from all others, whether it is there or not; nil for a full backup.
  func of(_ child: BackupFile) -> String? {
    guard let parent = child.info.parent else { return nil }
    let files = (byTime[parent.takenAt.milliseconds] ?? []).filter { $0.info.depth == child.info.depth - 1 }
    let found =
      files.first { $0.isOfLibrary(child.info.name, child.info.origin) }
      ?? files.first { $0.name.utf8.elementsEqual(parent.file.utf8) } ?? files.first
    return found?.identity ?? "missing \(parent.sha256)"
  }
}
