import Foundation
import Interchange
import SQLiteLibrary

/// The lock that a sync of a library holds from its beginning to its end, so that two syncs never send the same row.
///
/// The system releases it when the process ends, however it ends.
package final class SyncLock {
  private let descriptor: Int32

  /// Acquires the lock.
  /// - Throws: `RunFailure` with status 7 when another sync is running.
  package init(of library: String) throws {
    let folder = try SidecarFolder(making: library)
    guard let descriptor = try folder.root.file("sync.lock", O_RDWR | O_CREAT) else {
      throw RunFailure(.failed, "open '\(folder.root.path("sync.lock"))': it was removed while it was being opened")
    }
    self.descriptor = descriptor
    var isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    for _ in 0..<20 where !isHeld {
      usleep(50_000)
      isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
    guard isHeld else {
      throw RunFailure(
        .locked, "send the queue of '\(library)': another sync is running on it", advice: "Wait until it has finished.")
    }
  }

  deinit { close(descriptor) }
}
