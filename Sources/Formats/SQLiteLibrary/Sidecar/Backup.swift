import Foundation
import Interchange

/// A copy of a library that is on its way to the disk.
package final class Backup {
  /// The name that it has once it is there.
  package let path: String
  private let file: AtomicFile?
  private let copying: Background<String?>?

  /// A copy that is on disk.
  init(complete path: String) {
    self.path = path
    file = nil
    copying = nil
  }

  /// A copy that is made beside everything else, of a file that does not change until it is finished.
  /// - Parameter hashing: whether `sha256` will be asked for.
  init(of source: Int32, named library: String, into file: AtomicFile, hashing: Bool) {
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
      // Of the source, which is in memory; it has the same bytes.
      return hashing ? try FileDigest.sha256(of: source, named: library) : nil
    }
  }

  /// SHA-256 of the copy.
  /// - Throws: `RunFailure` when it cannot be read.
  package func sha256() throws -> String { try copying?.wait() ?? FileDigest.sha256(of: path) }

  /// Waits until the copy is on disk and gives it its name; nothing that it is the backup of may be changed before.
  /// - Throws: `RunFailure` when it did not get there.
  package func finish() throws {
    _ = try copying?.wait()
    if let file {
      file.makePrivate()
      try file.publish()
    }
  }

  /// Removes the copy: nothing was changed that it would be the backup of.
  package func discard() {
    _ = try? copying?.wait()
    file?.discard()
    unlink(path)
  }

  deinit { _ = try? copying?.wait() }
}
