import Foundation
import Interchange

/// A copy of a library that is complete and on its way to the disk.
package final class Backup {
  /// The name that it has once it is on disk.
  package let path: String
  /// Where it can be read until then.
  package let readable: String
  private let file: AtomicFile?
  private let sync: Background<Void>?

  /// A copy that is on disk.
  init(complete path: String) {
    self.path = path
    readable = path
    file = nil
    sync = nil
  }

  /// A copy that the disk still has to take: it does so beside everything else.
  init(_ file: AtomicFile) {
    path = file.target
    readable = file.temporary
    self.file = file
    let descriptor = file.descriptor
    sync = Background { fsync(descriptor) }
  }

  /// Waits until the copy is on disk and gives it its name; nothing that it is the backup of may be changed before.
  /// - Throws: `RunFailure` when it did not get there.
  package func finish() throws {
    try sync?.wait()
    try file?.publish()
  }

  /// Removes the copy: nothing was changed that it would be the backup of.
  package func discard() {
    try? sync?.wait()
    file?.discard()
    unlink(path)
  }
}
