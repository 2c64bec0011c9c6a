#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Asks the operating system whether other processes have a database open, without touching the database.
///
/// SQLite's locks are byte-range locks at fixed offsets. Querying them takes no lock.
/// - Source: SQLite, "File Locking And Concurrency" and "WAL-mode File Format", section 2.3
public enum SQLiteLocks {
  /// Returns whether another process is writing to a database with a rollback journal (it holds RESERVED or a higher
  /// lock).
  public static func hasWriter(_ path: String) -> Bool {
    isLocked(path, from: 0x4000_0000, length: 2)
  }

  /// Returns whether another process is writing, using an open descriptor. Closing a second descriptor would release
  /// this process's own locks.
  public static func hasWriter(_ descriptor: Int32) -> Bool {
    isLocked(descriptor, from: 0x4000_0000, length: 2)
  }

  /// Returns whether another process has a WAL database open (it holds the dead-man switch of the `-shm` file).
  public static func hasWALUser(_ path: String) -> Bool {
    isLocked(path + "-shm", from: 120, length: 9)
  }

  private static func isLocked(_ path: String, from start: Int, length: Int) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return isLocked(file, from: start, length: length)
  }

  private static func isLocked(_ file: Int32, from start: Int, length: Int) -> Bool {
    var query = flock()
    query.l_type = Int16(F_WRLCK)
    query.l_whence = Int16(SEEK_SET)
    query.l_start = off_t(start)
    query.l_len = off_t(length)
    guard fcntl(file, F_GETLK, &query) == 0 else { return false }
    return query.l_type != Int16(F_UNLCK)
  }
}
