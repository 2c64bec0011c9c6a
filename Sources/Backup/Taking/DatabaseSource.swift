import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// A database that other programs may be writing to, opened to make one consistent copy. It is never changed.
///
/// The method depends on the programs that have the database open:
/// - A database with a rollback journal is copied under SQLite's shared lock, so writers wait that long.
/// - A write-ahead log that a program has open is read by SQLite, and writers do not wait.
/// - A log that no program has open, or the journal of a writer that died, is replayed in a private copy, because
///   replaying it in the original would change the original.
///
/// Between two checks, another program may open or close the database. In that case, an attempt ends with
/// `Moment.passed`, and the next attempt checks again.
/// - Source: SQLite, "File Locking And Concurrency", "WAL-mode File Format"
final class DatabaseSource {
  /// The error of an attempt that failed because of other programs. The next attempt may succeed.
  enum Moment: Error { case passed }

  private enum Way { case locked, log, still, privately }

  private let path: String
  private let way: Way
  /// A connection in a read transaction, so that everything that is read belongs to one moment.
  let connection: SQLiteConnection
  private let copy: PrivateCopy?
  private let mark: FileMark
  /// The descriptor is opened before SQLite opens the file and closed after SQLite closes it, because closing any
  /// descriptor drops a process's locks.
  private let descriptor: Int32

  /// Opens the database.
  /// - Throws: `Moment`; `SQLiteError` (busy, if a writer holds the lock for longer than two seconds); `RunFailure`.
  init(_ path: String) throws {
    self.path = path
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    do {
      mark = FileMark(path)
      way = try Self.way(path, descriptor, mark)
      // File times are coarse. After this pause, every change is visible in them.
      if way == .still || way == .privately { usleep(20_000) }
      copy = way == .privately ? try Self.privateCopy(path, mark) : nil
      let access: SQLiteConnection.Access = way == .locked || way == .log ? .read : .readImmutable
      connection = try SQLiteConnection(copy?.path ?? path, access, copy == nil ? .foreign : .own, busyTimeout: 2000)
      try connection.execute("BEGIN; SELECT count(*) FROM sqlite_schema", as: "read '\(path)'")
      // Under the lock, no program can switch to a log. Before the lock, a program may have done so.
      if way == .locked, Self.hasLog(descriptor) || FileMark(path).logBytes > 0 { throw Moment.passed }
    } catch {
      close(descriptor)
      // The database was removed between two checks, or another program's journal disappeared before SQLite could read
      // it.
      if let error = error as? SQLiteError, error.primary == SQLITE_CANTOPEN || error.primary == SQLITE_READONLY {
        throw Moment.passed
      }
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    connection.close()
    close(descriptor)
  }

  /// Whether other programs can write while the database is open here, and would have to wait.
  var makesWritersWait: Bool { way == .locked }

  /// Copies the database into a new file, and closes the database.
  /// - Throws: `Moment` if another program changed a database that could not be locked; otherwise the same errors as
  ///   `init`.
  func copy(to target: String, progress: (Int, Int) throws -> Void) throws {
    defer {
      try? connection.execute("COMMIT")
      connection.close()
    }
    switch way {
    case .locked, .still: try DatabaseCopy.bytes(of: descriptor, to: target, progress: progress)
    case .privately:
      guard let copy else { throw RunFailure(.internalError, "no private copy of '\(path)'") }
      connection.close()
      guard rename(copy.path, target) == 0 else { throw RunFailure(.failed, "write '\(target)': \(SystemError.last)") }
    case .log: try DatabaseCopy.pages(of: connection, to: target, progress: progress)
    }
    if way == .still || way == .privately, !mark.isStillTrue { throw Moment.passed }
  }

  // MARK: Looking

  private static func way(_ path: String, _ descriptor: Int32, _ mark: FileMark) throws -> Way {
    if hasLog(descriptor) || mark.logBytes > 0 {
      if SQLiteLocks.hasWALUser(path) { return .log }
      // A program has the database open exclusively, without the shared-memory file that other programs need.
      if SQLiteLocks.hasWriter(path) { throw Moment.passed }
      return mark.logBytes > 0 ? .privately : .still
    }
    return try hasHotJournal(path, mark) ? .privately : .locked
  }

  /// Whether the file's header selects a write-ahead log.
  private static func hasLog(_ descriptor: Int32) -> Bool {
    var versions: [UInt8] = [0, 0]
    return pread(descriptor, &versions, 2, 18) == 2 && versions.contains(2)
  }

  /// Whether the writer of a journal has died, so that its lock is free and the journal does not change for a while.
  private static func hasHotJournal(_ path: String, _ mark: FileMark) throws -> Bool {
    guard mark.journalBytes > 0, !SQLiteLocks.hasWriter(path) else { return false }
    // A journal that is kept between transactions begins with zeros.
    let journal = open(path + "-journal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard journal >= 0 else { return false }
    var first: UInt8 = 0
    let got = read(journal, &first, 1)
    close(journal)
    guard got == 1, first != 0 else { return false }
    usleep(20_000)
    guard mark.isStillTrue, !SQLiteLocks.hasWriter(path) else { throw Moment.passed }
    return true
  }

  /// Makes a copy whose log or journal has been replayed.
  private static func privateCopy(_ path: String, _ mark: FileMark) throws -> PrivateCopy {
    let copy = try PrivateCopy(of: path)
    guard mark.isStillTrue, !SQLiteLocks.hasWriter(path), !SQLiteLocks.hasWALUser(path) else { throw Moment.passed }
    let recovery = try SQLiteConnection(copy.path, .write, .own)
    _ = try recovery.rows("SELECT count(*) FROM sqlite_schema")
    // The content of the log moves into the file. The library's journal mode stays as the app set it.
    try recovery.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    recovery.close()
    return copy
  }
}
