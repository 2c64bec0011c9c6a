import Foundation
import Interchange

/// A copy of a library that is on its way to the disk.
package final class Backup {
  /// The name that it has once it is there.
  package let path: String
  private let file: AtomicFile?
  private let copying: Background<Void>?

  /// A copy that is on disk.
  init(complete path: String) {
    self.path = path
    file = nil
    copying = nil
  }

  /// A copy that is made beside everything else, of a file that does not change until it is finished.
  init(of source: Int32, named library: String, into file: AtomicFile) {
    path = file.target
    self.file = file
    let target = file.descriptor
    let name = file.target
    copying = Background {
      do throws(RunFailure) {
        try FileCopy.copy(from: source, to: target)
      } catch {
        throw RunFailure(
          .failed, "back up '\(library)' to '\(name)': \(error.message)",
          advice: "Nothing was changed. Free some space and run it again.")
      }
    }
  }

  /// Waits until the copy is on disk and gives it its name; nothing that it is the backup of may be changed before.
  /// - Throws: `RunFailure` when it did not get there.
  package func finish() throws {
    try copying?.wait()
    if let file {
      chmod(file.temporary, 0o600)
      try file.publish()
    }
  }

  /// Removes the copy: nothing was changed that it would be the backup of.
  package func discard() {
    try? copying?.wait()
    file?.discard()
    unlink(path)
  }

  deinit { try? copying?.wait() }
}
