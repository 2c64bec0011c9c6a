/// Finds the parent of an incremental backup among other backups, by its time and position in the chain.
///
/// A parent is usually a backup of the same library. After `--since FILE`, the parent may date from before the library
/// was renamed or moved. In that case, any backup with that time is used, so that a backup that may be needed never
/// counts as unneeded.
struct ParentIdentities {
  private let byTime: [Int64: [BackupFile]]

  init(_ files: [BackupFile]) { byTime = Dictionary(grouping: files) { $0.info.takenAt.milliseconds } }

  /// Returns the identity of the parent, whether the parent exists or not; nil for a full backup.
  func of(_ child: BackupFile) -> String? {
    guard let parent = child.info.parent else { return nil }
    let files = (byTime[parent.takenAt.milliseconds] ?? []).filter { $0.info.depth == child.info.depth - 1 }
    let found =
      files.first { $0.isOfLibrary(child.info.name, child.info.origin) }
      ?? files.first { $0.name.utf8.elementsEqual(parent.file.utf8) } ?? files.first
    return found?.identity ?? "missing \(parent.sha256)"
  }
}
