import RegistryStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Keeps a second registry away from a file for as long as the object lives.
///
/// An advisory lock (`flock`) on a file beside the database: it goes with the process, however that ends, and is not
/// inherited by programs that are started. The database itself cannot carry the lock: SQLite's own locks are dropped
/// when any descriptor of the file is closed.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `StoreFailure.busy` when somebody has it, `.unavailable` when the folder cannot be written to.
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
    // A program that is being started at this moment still has the descriptor: closing alone would not unlock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
