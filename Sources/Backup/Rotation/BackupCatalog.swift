import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// The backups in a folder by time, and the hashes of their files. Each file is read once.
///
/// Checking every chain in a folder reads each file once, however long the chains are.
package final class BackupCatalog {
  private let byTime: [Int64: [BackupFile]]
  private var hashes: [String: String?] = [:]

  /// Creates the catalog of a folder.
  package init(_ content: BackupFolder) {
    byTime = Dictionary(grouping: content.entries.map(\.file)) { $0.info.takenAt.milliseconds }
  }

  /// Returns the backup that another one names as its parent.
  /// - Parameter hashing: whether the file's checksum is compared, and not only the time and the position in the chain.
  /// - Returns: Nil if the parent is missing or is a different backup.
  package func file(of parent: BackupInfo.Parent, hashing: Bool) -> BackupFile? {
    (byTime[parent.takenAt.milliseconds] ?? []).first { file in
      var status = stat()
      // A folder has no checksum for a child backup to refer to.
      guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      return !hashing || sha256(of: file.path) == parent.sha256
    }
  }

  private func sha256(of path: String) -> String? {
    if let known = hashes[path] { return known }
    let hash = try? FileDigest.sha256(of: path)
    hashes[path] = .some(hash)
    return hash
  }
}
