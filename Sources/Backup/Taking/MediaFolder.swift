import ContentPack
import Foundation
import Interchange
import SQLiteLibrary

/// The attachments beside a library, in the order of their hashes.
struct MediaFolder {
  /// One attachment's bytes.
  struct File {
    /// What they are, by name and size.
    let media: BackupInfo.Media
    /// Where they lie.
    let path: String
  }

  /// The attachments.
  let files: [File]

  /// Lists what lies beside a library; files that are not named by a hash are not ours.
  /// - Throws: `RunFailure` with status 4 when something in the sidecar folder is a link or another user's.
  init(beside library: String) throws {
    guard let folder = try SidecarFolder(of: library)?.part(.media) else {
      files = []
      return
    }
    files = try folder.names.filter(MediaStore.isHash).sorted().compactMap { name in
      guard let file = try folder.file(name, O_RDONLY) else { return nil }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0 else { return nil }
      return File(media: BackupInfo.Media(sha256: name, bytes: Int(status.st_size)), path: folder.path(name))
    }
  }
}
