import RegistryStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Keeps a second registry from opening a file for as long as the object lives.
///
/// The lock is an advisory lock (`flock`) on a separate file in the database's folder. It is released when the process
/// ends, however it ends, and is not inherited by programs that the process starts. The database file itself cannot be
/// locked this way: SQLite's own locks are dropped when any descriptor of the file is closed.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `StoreFailure.busy` when another process has the lock; `.unavailable` when the folder is not writable.
  init(forDatabase path: String) throws(StoreFailure) {
    let name = path + ".lock"
    let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreProblem.file(name, "lock", errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? StoreProblem.taken(path: path) : StoreProblem.file(name, "lock", errno: code)
    }
    self.descriptor = descriptor
  }

  deinit {
    // A program that is being started at this moment still has the descriptor, so closing alone would not release the
    // lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
