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
  init(beside library: String) {
    let folder = Sidecar.path(of: library) + "/" + Sidecar.Part.media.rawValue
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    files = names.sorted().compactMap { name in
      guard let path = MediaStore.path(of: name, beside: library) else { return nil }
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return File(media: BackupInfo.Media(sha256: name, bytes: Int(status.st_size)), path: path)
    }
  }
}
