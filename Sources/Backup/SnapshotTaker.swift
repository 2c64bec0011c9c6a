import CSQLite
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Copies a library and its sidecar as of one moment, while other programs may be writing.
struct SnapshotTaker {
  /// The path of the library.
  let library: String
  /// How long to wait for other programs, in seconds.
  var patience: Double = 30

  /// The copies, laid out as a library and its sidecar.
  struct Copies {
    /// The library.
    let library: String
    /// The database of the sidecar; nil if there was none.
    let state: String?
  }

  /// Copies into an empty folder that only its owner can read.
  /// - Throws: `RunFailure`: 2 if the library does not exist or the disk is full, 7 if other programs kept the library
  ///   locked for 30 seconds.
  func copy(into folder: String, progress: @escaping (Int, Int) throws -> Void) throws -> Copies {
    _ = try LibraryFile.sizeOfDatabase(library, library)
    let deadline = Date().addingTimeInterval(patience)
    while true {
      try Interruption.check()
      do {
        return try attempt(into: folder, progress: progress)
      } catch is DatabaseSource.Moment where Date() < deadline {
        // Another program opened or closed the database between two checks.
      } catch let error as SQLiteError where error.isBusy && Date() < deadline {
        // A writer did not finish within the time that SQLite waits.
      } catch is DatabaseSource.Moment {
        throw locked
      } catch let error as SQLiteError {
        throw error.isBusy ? locked : LibraryFile.failure(error, library)
      }
      try OpenFolder(named: folder).removeAll()
      // The interval is random, so that it does not coincide with a writer's intervals.
      usleep(UInt32.random(in: 2_000...20_000))
    }
  }

  private var locked: RunFailure {
    RunFailure(
      .locked, "back up '\(library)': another program has been using it for \(Int(patience)) seconds without a pause",
      advice: "Close the app, or try again when the other program has finished.")
  }

  private func attempt(into folder: String, progress: (Int, Int) throws -> Void) throws -> Copies {
    let beside = try SidecarFolder(of: library)?.state()
    // The sidecar is copied first, and is locked until the library is copied. An import records its intentions in the
    // sidecar before it changes the library, so both copies together show what was done.
    let state = try beside.map { try DatabaseSource($0) }
    let copy = folder + "/library.sqlite"
    try DatabaseSource(library).copy(to: copy, progress: progress)
    guard let state else {
      guard try SidecarFolder(of: library)?.state() == nil else { throw DatabaseSource.Moment.passed }
      return Copies(library: copy, state: nil)
    }
    let sidecar = copy + ".fleetkit"
    guard mkdir(sidecar, 0o700) == 0 else { throw RunFailure(.failed, "write '\(sidecar)': \(SystemError.last)") }
    let stateCopy = sidecar + "/state.sqlite"
    try state.copy(to: stateCopy) { _, _ in }
    return Copies(library: copy, state: stateCopy)
  }
}

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
  private var makesWritersWait: Bool { way == .locked }

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

/// Copies a whole database into a new file that only its owner can read.
///
/// Nothing is synced, because the copy is read once and then removed.
enum DatabaseCopy {
  /// The number of bytes that are read and written at a time, which stay in the processor's cache in between. Pieces of
  /// several megabytes go through memory twice, which takes up to ten times as long while other programs are running,
  /// and writers wait meanwhile.
  private static let stretch = 256 << 10
  /// The number of bytes copied between two progress reports.
  private static let report = 8 << 20

  /// Copies an open file, which must not change during the copy.
  static func bytes(of source: Int32, to target: String, progress: (Int, Int) throws -> Void) throws {
    let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw RunFailure(.failed, "write '\(target)': \(SystemError.last)") }
    defer { close(copy) }
    var status = stat()
    guard fstat(source, &status) == 0 else { throw RunFailure(.failed, "read the library: \(SystemError.last)") }
    let total = Int(status.st_size)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: stretch, alignment: 4096)
    defer { room.deallocate() }
    var at = 0
    var reported = 0
    while at < total {
      let got = pread(source, room.baseAddress, min(stretch, total - at), off_t(at))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw RunFailure(.failed, "read the library: \(SystemError.last)") }
      var done = 0
      while done < got {
        let wrote = pwrite(copy, room.baseAddress.map { $0 + done }, got - done, off_t(at + done))
        if wrote < 0, errno == EINTR { continue }
        guard wrote > 0 else { throw full(target, SystemError.last) }
        done += wrote
      }
      at += got
      guard at - reported >= report || at == total else { continue }
      reported = at
      try Interruption.check()
      try progress(at, total)
    }
  }

  /// Copies the pages that a connection sees in its transaction.
  static func pages(
    of source: SQLiteConnection, to target: String, progress: (Int, Int) throws -> Void
  ) throws {
    let made = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw RunFailure(.failed, "write '\(target)': \(SystemError.last)") }
    close(made)
    let copy = try SQLiteConnection(target, .write, .own)
    try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    do {
      // The source's transaction fixes the moment, so the copy can be made in steps that constant writes do not
      // restart.
      try SQLiteBackup.copy(
        from: source, into: copy, pagesPerStep: 8192,
        progress: { done, total in
          try Interruption.check()
          try progress(done, total)
        })
    } catch let error as SQLiteError where error.isFull {
      throw full(target, error.message)
    }
  }

  private static func full(_ target: String, _ why: String) -> RunFailure {
    RunFailure(
      .failed, "copy the library to '\(target)': \(why)",
      advice: "The copy needs disk space. To use another folder, set TMPDIR.")
  }
}

/// The file-system state of a database and its side files, used to detect changes by other programs.
struct FileMark: Equatable {
  private struct Entry: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let seconds: Int64
    let nanoseconds: Int64
  }

  private let entries: [Entry?]
  private let path: String

  /// Records the state of a database, its log and its journal.
  init(_ path: String) {
    self.path = path
    entries = ["", "-wal", "-journal"].map { Self.entry(path + $0) }
  }

  /// Whether nothing has changed since the state was recorded.
  fileprivate var isStillTrue: Bool { self == FileMark(path) }

  /// The size of the write-ahead log in bytes.
  fileprivate var logBytes: Int64 { entries[1]?.size ?? 0 }
  /// The size of the rollback journal in bytes.
  fileprivate var journalBytes: Int64 { entries[2]?.size ?? 0 }

  private static func entry(_ path: String) -> Entry? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Entry(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
