import ContentPack
import Foundation
import Interchange
import SQLiteLibrary

/// The attachments in the sidecar of a library, in the order of their hashes.
struct MediaFolder {
  /// The bytes of one attachment.
  struct File {
    /// The hash and the size of the bytes.
    let media: BackupInfo.Media
    /// The path of the file with the bytes.
    let path: String
  }

  /// The attachments.
  let files: [File]

  /// Lists the attachments in the sidecar of a library. Files whose names are not hashes are ignored.
  /// - Throws: `RunFailure` with status 4 if an entry of the sidecar folder is a link or belongs to another user.
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
