import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// A library that is about to be changed. Its sidecar is locked, its pages are checked, and it has an open write
/// transaction that no other process can interrupt.
///
/// What is written through `connection` becomes visible at `commit`, either completely or not at all. While the library
/// is open, only SQLite may open the file: closing any other descriptor would drop the locks.
package final class WritableLibrary {
  /// The library's path as the user typed it.
  package let path: String
  package let connection: SQLiteConnection
  package let schema: LibrarySchema
  package let sidecar: Sidecar
  private let check: IntegrityCheck?
  /// The descriptor from which the file is copied. It is opened before SQLite opens the file and closed after SQLite
  /// has closed the file, because closing the descriptor drops the locks.
  private let descriptor: Int32
  /// The file that is being created, if the library did not exist.
  private let file: AtomicFile?
  private var isOpen = true

  /// Whether the library is being created.
  package var isNew: Bool { file != nil }

  /// Opens a library, recovers from an interrupted write, and takes the locks.
  /// - Throws: `RunFailure`: 2 if the file is not a library, is damaged or cannot be written, 7 if another process
  ///   is writing to the library.
  /// - Parameters:
  ///   - sidecar: the library's sidecar, if the caller has already locked it.
  ///   - profile: `.repair` for a run that repairs the schema.
  ///   - checkingPages: whether every page is checked in the background; if not, the caller must check the pages.
  package init(
    _ path: String, sidecar: Sidecar? = nil, profile: SQLiteProfile = .foreign, checkingPages: Bool = true
  ) throws {
    self.path = path
    file = nil
    try Self.checkFile(path)
    AtomicFile.removeSecondName(of: path)
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.sidecar = try sidecar ?? Sidecar(of: path)
    do {
      connection = try SQLiteConnection(path, .write, profile)
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -24576; BEGIN IMMEDIATE")
      schema = try LibrarySchema.read(connection, file: path)
      try schema.refuseComputed("change library '\(path)'")
      // The check uses a separate connection, which sees the content as it was before this run.
      check = checkingPages ? IntegrityCheck(path: path, access: .read, .foreign) : nil
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Opens a library for a rehearsal, in which every change can be made, but neither the file nor its sidecar is
  /// modified. No other process can commit to the library during the rehearsal.
  /// - Parameter sidecar: a folder that replaces the library's own sidecar.
  /// - Throws: `RunFailure`: 2 if the file is not a library or is damaged, 7 if another process is writing to the
  ///   library.
  package init(rehearsing path: String, sidecar: Sidecar) throws {
    self.path = path
    file = nil
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.sidecar = sidecar
    do {
      connection = try SQLiteConnection(path, .overlay, .foreign)
      try connection.execute(
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -24576; BEGIN IMMEDIATE")
      // This connection does not see the journal of a writer that was killed a moment ago. Once the shared lock is
      // taken, no writer can begin.
      var journal = stat()
      if stat(path + "-journal", &journal) == 0, journal.st_size > 0, !SQLiteLocks.hasWriter(descriptor) {
        throw SQLiteError(code: SQLITE_BUSY, message: "an unfinished journal exists", operation: "read the library")
      }
      schema = try LibrarySchema.read(connection, file: path)
      try schema.refuseComputed("change library '\(path)'")
      check = IntegrityCheck(path: path, access: .read, .foreign)
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, path)
    }
  }

  /// Creates a library with the newest schema. The file gets its name at `commit`.
  /// - Throws: `RunFailure`: 4 if a file of that name exists, 2 if the file cannot be written.
  package init(creating path: String) throws {
    self.path = path
    let file = try NewLibraryFile.reserve(path)
    self.file = file
    check = nil
    descriptor = -1
    sidecar = try Sidecar(of: path)
    do {
      connection = try NewLibraryFile.open(file, AppSchema.newest())
      schema = try LibrarySchema.read(connection, file: path)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  deinit {
    rollback()
    connection.close()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether changes go through a rollback journal instead of a write-ahead log.
  package var hasRollbackJournal: Bool {
    (try? connection.rows("PRAGMA journal_mode").first?.first.flatMap { $0 }) != "wal"
  }

  /// Passes the file's descriptor to `body`, which may only read from it: closing the descriptor would drop the locks.
  /// Returns nil for a library that is being created.
  package func withDescriptor<Result>(_ body: (Int32) throws -> Result) rethrows -> Result? {
    descriptor >= 0 ? try body(descriptor) : nil
  }

  /// Copies the library as it was before this run's changes. Other work may continue while the copy is made.
  /// - Parameter hashing: whether the caller needs the copy's SHA-256.
  /// - Throws: `RunFailure` with status 2 if there is not enough space.
  package func backUp(
    reason: String, hashing: Bool = false, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> Backup {
    let backups = LibraryBackups(sidecar)
    do {
      // While the write lock is held and no log exists, the file contains the whole library, and the kernel copies it
      // faster.
      if hasRollbackJournal, descriptor >= 0 {
        return try backups.copy(descriptor, of: path, reason: reason, hashing: hashing)
      }
      return try Backup(complete: backups.make(of: reader(), reason: reason, progress: progress))
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Waits until every page is checked. Nothing may be written before this function returns.
  /// - Throws: `RunFailure` with status 2 if the file is damaged.
  package func finishCheck() throws {
    do throws(SQLiteError) {
      guard let complaint = try check?.wait() else { return }
      throw SQLiteError(code: SQLITE_CORRUPT, message: complaint, operation: "check the library")
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Returns another connection that reads the library as it was before this run's changes.
  package func reader() throws(SQLiteError) -> SQLiteConnection {
    let reader = try SQLiteConnection(path, .read, .foreign)
    try reader.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    return reader
  }

  /// Commits the transaction, which makes all changes visible together.
  /// - Throws: `RunFailure`; the library is then unchanged.
  package func commit() throws {
    try finishCheck()
    do {
      if file != nil { try AppSchema.newest().makeIndexes(connection) }
      try connection.execute("COMMIT", as: "commit")
      isOpen = false
      try publish()
    } catch let error as SQLiteError {
      rollback()
      throw Self.failure(error, path)
    }
  }

  /// Checks a new library and gives its file the final name.
  private func publish() throws {
    guard let file else { return }
    let holds = try connection.rows("PRAGMA foreign_key_check").isEmpty
    let complaint = holds ? try NewLibraryCheck.complaint(file.temporary) : "foreign keys do not hold"
    if let complaint {
      throw SQLiteError(code: SQLITE_CORRUPT, message: complaint, operation: "check the new library")
    }
    try file.publish()
  }

  /// Discards all changes of this run.
  package func rollback() {
    if isOpen { try? connection.execute("ROLLBACK") }
    isOpen = false
    if let file, access(path, F_OK) != 0 {
      file.discard()
      sidecar.removeIfNew()
    }
  }

  /// Replaces all pages of the library with the pages of another file, through SQLite's backup interface. Ends this
  /// run's transaction.
  /// - Parameter beforeCommit: called when all but the last pages are written and the change is not yet in effect; the
  ///   closure may throw.
  /// - Throws: `RunFailure` with status 7 if another program wrote to the library during the run; the other program's
  ///   changes are then kept.
  package func replaceAll(
    with source: String, beforeCommit: () throws -> Void = {}, progress: (Int, Int) throws -> Void
  ) throws {
    let before = Self.fileState(path)
    rollback()
    do {
      // SQLite syncs the journal whenever the cache is full. A large cache is affordable here, because nothing else
      // needs memory now.
      try connection.execute("PRAGMA cache_size = -65536")
      let new = try SQLiteConnection(source, .readImmutable, .foreign)
      try new.execute("PRAGMA mmap_size = 1099511627776")
      try SQLiteBackup.copy(
        from: new, into: connection,
        afterLock: {
          // Another process may have written between the release of one lock and the acquisition of the next.
          guard Self.fileState(path) == before else {
            throw RunFailure(
              .locked, "change library '\(path)': another program wrote to it during this run; its changes were kept",
              advice: "Close the app and run it again.")
          }
        }, beforeCommit: beforeCommit, progress: progress)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Returns the sizes and times of a library's files, without opening the files. Different values show that a process
  /// wrote to them.
  package static func fileState(_ path: String) -> [Int] {
    ["", "-wal"].flatMap { suffix in
      var status = stat()
      guard stat(path + suffix, &status) == 0 else { return [-1, 0, 0] }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [Int(status.st_size), Int(time.tv_sec), Int(time.tv_nsec)]
    }
  }

  private static func checkFile(_ path: String) throws {
    let head = try SourceProbe.head(of: Source(path), count: 100)
    var isFolder: ObjCBool = false
    if head.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw RunFailure(
        .failed, "change '\(path)': this is a folder, not a library",
        advice: "Give the path of the file in it.")
    }
    if head.isEmpty {
      throw RunFailure(
        .failed, "change library '\(path)': the file is empty (0 bytes)",
        advice: "The app would start with an empty library here. Copy it off the phone again.")
    }
    guard head.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw RunFailure(
        .failed, "change library '\(path)': not an SQLite database", advice: LibraryFile.otherFileAdvice(path))
    }
    guard access(path, W_OK) == 0 else {
      throw RunFailure(
        .failed, "change library '\(path)': \(SystemError.last)", advice: "Copy it to a folder where you may write.")
    }
  }

  /// Converts an SQLite error into a message for the user. The library is unchanged in every case.
  package static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    if error.isBusy {
      return RunFailure(
        .locked, "change library '\(path)': another program is using it",
        advice: "Close the app or wait until it has finished.")
    }
    if error.isDamage {
      return RunFailure(
        .failed, "change library '\(path)': the file is damaged (\(error.message)); nothing was changed",
        advice: LibraryFile.damageAdvice(path))
    }
    if error.isFull || error.primary == SQLITE_IOERR {
      return RunFailure(
        .failed, "change library '\(path)': \(error.message); the library is unchanged",
        advice: "Free some space and run it again.")
    }
    return RunFailure(
      .failed, "change library '\(path)': \(error.message) (while trying to \(error.operation)); nothing was changed")
  }
}

/// A rehearsal of a run: all work is done, but no change is kept.
///
/// The library and its ledger are used in place. Changes are written to temporary files
/// (`SQLiteConnection.Access.overlay`), so unchanged pages are never copied. A library with a write-ahead log, or with
/// the journal of an interrupted write, is copied first.
package final class Rehearsal {
  /// The path of the library that is opened: the user's library or a copy. If the library does not exist, no file
  /// exists at this path.
  package let path: String
  /// Whether `path` is the user's library.
  package let isInPlace: Bool
  private let folder: TemporaryFolder
  private let name: String
  /// The ledger that is used in place; nil if no ledger exists or if it was copied.
  private var store: String?

  /// - Parameter inspect: a closure that inspects the library before it is copied. The copy has the same content that
  ///   the closure saw.
  /// - Throws: `RunFailure`: 7 if another program writes to the library during the initialization, 2 if the library
  ///   cannot be read.
  package init(of library: String, inspect: () throws -> Void = {}) throws {
    folder = try TemporaryFolder()
    name = folder.path + "/" + (library as NSString).lastPathComponent
    let isThere = access(library, F_OK) == 0
    isInPlace = try isThere && LibraryFile.isPlain(library)
    path = isInPlace ? library : name
    if isThere, !isInPlace { try copy(library, inspect) }
    if isThere { try prepareStore(of: library) }
  }

  /// Opens the library for this run only.
  package func open(_ path: String) throws -> WritableLibrary {
    // A copy was checked while it was created.
    try isInPlace
      ? WritableLibrary(rehearsing: path, sidecar: Sidecar(of: name)) : WritableLibrary(path, checkingPages: false)
  }

  /// Opens the ledger for this run only.
  package func store(_ sidecar: Sidecar) throws -> StateStore {
    let store = try StateStore(sidecar, rehearsing: store)
    // These files are discarded afterwards, so they need not survive a power failure.
    try store.connection.execute("PRAGMA synchronous = OFF")
    return store
  }

  private func copy(_ library: String, _ inspect: () throws -> Void) throws {
    let before = WritableLibrary.fileState(library)
    try inspect()
    do {
      let source = try LibraryFile(library)
      let target = try SQLiteConnection(name, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source.connection, into: target)
      try source.finishCheck()
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
    guard WritableLibrary.fileState(library) == before else { throw changed(library) }
  }

  private func prepareStore(of library: String) throws {
    guard let sidecar = try SidecarFolder(of: library), let state = try sidecar.state() else { return }
    if sidecar.root.entry(SidecarFolder.stateName + "-journal") == .nothing { return store = state }
    // The journal was left by a killed run, or another run is in progress.
    let before = WritableLibrary.fileState(state)
    try sidecar.copyState(to: SidecarFolder(making: name))
    guard WritableLibrary.fileState(state) == before else { throw changed(library) }
  }

  private func changed(_ library: String) -> RunFailure {
    RunFailure(
      .locked, "read library '\(library)': another program wrote to it during this run",
      advice: "Close the app and run it again.")
  }
}

/// A temporary copy of a library, and of the sidecar files that commands need, for trying out changes.
package final class ScratchLibrary {
  /// The copied library.
  package let path: String
  private let folder: TemporaryFolder

  /// Copies the library.
  /// - Throws: `RunFailure`: 2 if the library cannot be read or there is not enough space, 7 if another program
  ///   writes to it.
  package init(of library: String) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/" + (library as NSString).lastPathComponent
    do {
      let source = try LibraryFile(library)
      let target = try SQLiteConnection(path, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source.connection, into: target)
      try source.finishCheck()
      if let sidecar = try SidecarFolder(of: library), try sidecar.state() != nil {
        try sidecar.copyState(to: SidecarFolder(making: path))
      }
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }
}
