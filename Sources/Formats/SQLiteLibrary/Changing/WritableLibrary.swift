import CSQLite
import Foundation
import Interchange
import SQLiteIO

/// An existing library that is about to be changed: its sidecar is locked, its pages were checked, and it is inside
/// one write transaction that nobody else can interrupt.
///
/// Everything that is written through `connection` becomes visible at `commit` or not at all. While it is open the
/// file must not be opened by any other means than SQLite: closing a descriptor would drop the locks.
package final class WritableLibrary {
  /// The library as the user named it.
  package let path: String
  package let connection: SQLiteConnection
  package let schema: LibrarySchema
  package let sidecar: Sidecar
  private let check: IntegrityCheck?
  /// The file's own descriptor, for copying it. Opened before SQLite opens the file and closed after, because closing
  /// it drops the locks.
  private let descriptor: Int32
  /// The file that is being made, for a library that was not there.
  private let file: AtomicFile?
  private var isOpen = true

  /// Whether the library was not there before.
  package var isNew: Bool { file != nil }

  /// Opens a library, recovers a journal that an interrupted write left, and takes the locks.
  /// - Throws: `RunFailure`: 2 when it is no library, damaged or cannot be written, 7 when somebody else writes to it.
  /// - Parameters:
  ///   - sidecar: the library's, when the caller has locked it already.
  ///   - profile: `.repair` for a run that mends the schema.
  ///   - checkingPages: whether every page is checked in the background; otherwise the caller does.
  package init(
    _ path: String, sidecar: Sidecar? = nil, profile: SQLiteProfile = .foreign, checkingPages: Bool = true
  ) throws {
    self.path = path
    file = nil
    try Self.look(path)
    AtomicFile.removeSecondName(of: path)
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.sidecar = try sidecar ?? Sidecar(of: path)
    do {
      connection = try SQLiteConnection(path, .write, profile)
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -24576; BEGIN IMMEDIATE")
      schema = try LibrarySchema.read(connection, file: path)
      try schema.refuseComputed("change library '\(path)'")
      // On a connection of its own, which sees what was there before this run.
      check = checkingPages ? IntegrityCheck(path: path, access: .read, .foreign) : nil
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Opens a library for a rehearsal: everything can be done to it, and neither the file nor anything beside it changes.
  /// Nobody else can commit to it meanwhile.
  /// - Parameter sidecar: a folder that stands in for the one beside it.
  /// - Throws: `RunFailure`: 2 when it is no library or damaged, 7 when somebody else is writing to it.
  package init(rehearsing path: String, sidecar: Sidecar) throws {
    self.path = path
    file = nil
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.sidecar = sidecar
    do {
      connection = try SQLiteConnection(path, .overlay, .foreign)
      try connection.execute(
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -24576; BEGIN IMMEDIATE")
      // A writer that died a moment ago: what it left is not seen from here. From the shared lock on nobody can begin.
      var journal = stat()
      if stat(path + "-journal", &journal) == 0, journal.st_size > 0, !SQLiteLocks.hasWriter(descriptor) {
        throw SQLiteError(code: SQLITE_BUSY, message: "a journal lies beside it", operation: "read the library")
      }
      schema = try LibrarySchema.read(connection, file: path)
      try schema.refuseComputed("change library '\(path)'")
      check = IntegrityCheck(path: path, access: .read, .foreign)
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, path)
    }
  }

  /// Begins a library of today's schema that gets its name when it is committed.
  /// - Throws: `RunFailure`: 4 when something of that name is there, 2 when it cannot be written.
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

  /// Whether changes go through a rollback journal, not a write-ahead log.
  package var hasRollbackJournal: Bool {
    (try? connection.rows("PRAGMA journal_mode").first?.first.flatMap { $0 }) != "wal"
  }

  /// Lends the file's descriptor, for reading only: closing it would drop the locks. Nil for a library that is being
  /// made.
  package func withDescriptor<Result>(_ body: (Int32) throws -> Result) rethrows -> Result? {
    descriptor >= 0 ? try body(descriptor) : nil
  }

  /// Copies the library as it is now, before this run's changes; may go on beside other work until it is finished.
  /// - Parameter hashing: whether the copy's SHA-256 will be asked for.
  /// - Throws: `RunFailure` with status 2 when there is no room.
  package func backUp(
    reason: String, hashing: Bool = false, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> Backup {
    let backups = LibraryBackups(sidecar)
    do {
      // With the write lock held and no log, the file alone is the library: the kernel copies it faster.
      if hasRollbackJournal, descriptor >= 0 {
        return try backups.copy(descriptor, of: path, reason: reason, hashing: hashing)
      }
      return try Backup(complete: backups.make(of: reader(), reason: reason, progress: progress))
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Waits until every page was checked; nothing may be written before.
  /// - Throws: `RunFailure` with status 2 when the file is damaged.
  package func finishCheck() throws {
    do throws(SQLiteError) {
      guard let complaint = try check?.wait() else { return }
      throw SQLiteError(code: SQLITE_CORRUPT, message: complaint, operation: "check the library")
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Another connection that reads the library as it was before this run's changes.
  package func reader() throws(SQLiteError) -> SQLiteConnection {
    let reader = try SQLiteConnection(path, .read, .foreign)
    try reader.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    return reader
  }

  /// Makes everything visible at once.
  /// - Throws: `RunFailure`; the library is then as it was.
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

  /// Gives a new library its name.
  private func publish() throws {
    guard let file else { return }
    let holds = try connection.rows("PRAGMA foreign_key_check").isEmpty
    let complaint = holds ? try NewLibraryCheck.complaint(file.temporary) : "foreign keys do not hold"
    if let complaint {
      throw SQLiteError(code: SQLITE_CORRUPT, message: complaint, operation: "check the new library")
    }
    try file.publish()
  }

  /// Forgets every change; the library is as it was.
  package func rollback() {
    if isOpen { try? connection.execute("ROLLBACK") }
    isOpen = false
    if let file, access(path, F_OK) != 0 {
      file.discard()
      sidecar.removeIfNew()
    }
  }

  /// Replaces everything by the pages of another file, through SQLite's backup interface. Ends this run's transaction.
  /// - Parameter beforeCommit: called when all but the last pages are written and nothing of it counts yet; may throw.
  /// - Throws: `RunFailure` with status 7 when somebody else wrote to the library meanwhile; it is then as that
  ///   program left it.
  package func replaceAll(
    with source: String, beforeCommit: () throws -> Void = {}, progress: (Int, Int) throws -> Void
  ) throws {
    let before = Self.fileState(path)
    rollback()
    do {
      // Whenever the cache is full the journal is synced: a larger one, while nothing else needs memory.
      try connection.execute("PRAGMA cache_size = -65536")
      let new = try SQLiteConnection(source, .readImmutable, .foreign)
      try new.execute("PRAGMA mmap_size = 1099511627776")
      try SQLiteBackup.copy(
        from: new, into: connection,
        afterLock: {
          // Between giving up one lock and taking the other, somebody else may have written.
          guard Self.fileState(path) == before else {
            throw RunFailure(
              .locked, "change library '\(path)': another program wrote to it meanwhile; it is as that program left it",
              advice: "Close the app and run it again.")
          }
        }, beforeCommit: beforeCommit, progress: progress)
    } catch let error as SQLiteError {
      throw Self.failure(error, path)
    }
  }

  /// Sizes and times of a library's files: whether somebody wrote to them, without opening them.
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

  private static func look(_ path: String) throws {
    let head = try SourceProbe.head(of: Source(path), count: 100)
    var isFolder: ObjCBool = false
    if head.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw RunFailure(
        .failed, "change '\(path)': this is a folder, not a library",
        advice: "Name the file in it.")
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
        .failed, "change library '\(path)': \(SystemError.last)", advice: "Copy it to a place where you may write.")
    }
  }

  /// Turns what SQLite says into what the user needs to know; whatever it was, the library is as it was.
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
        .failed, "change library '\(path)': \(error.message); the library is as it was",
        advice: "Free some space and run it again.")
    }
    return RunFailure(
      .failed, "change library '\(path)': \(error.message) (while trying to \(error.operation)); nothing was changed")
  }
}

/// Where a run does everything and leaves nothing behind.
///
/// The library and its ledger are used where they are, and what is written to them goes to temporary files
/// (`SQLiteConnection.Access.overlay`): what nothing changes is never copied. A library with a write-ahead log, or with a
/// journal of an interrupted write, is copied first.
package final class Rehearsal {
  /// The library that is opened: the user's own, or a copy of it. Nothing is there when the library is not there.
  package let path: String
  /// Whether it is the user's own.
  package let isInPlace: Bool
  private let folder: TemporaryFolder
  private let name: String
  /// The ledger, used where it is; nil where there is none, or it was copied.
  private var store: String?

  /// - Parameter look: looks at a library before it is copied; what it saw is what is copied.
  /// - Throws: `RunFailure`: 7 when another program writes to the library meanwhile, 2 when it cannot be read.
  package init(of library: String, look: () throws -> Void = {}) throws {
    folder = try TemporaryFolder()
    name = folder.path + "/" + (library as NSString).lastPathComponent
    let isThere = access(library, F_OK) == 0
    isInPlace = try isThere && LibraryFile.isPlain(library)
    path = isInPlace ? library : name
    if isThere, !isInPlace { try copy(library, look) }
    if isThere { try takeStore(of: library) }
  }

  /// Opens the library for this run alone.
  package func open(_ path: String) throws -> WritableLibrary {
    // A copy was checked while it was made.
    try isInPlace
      ? WritableLibrary(rehearsing: path, sidecar: Sidecar(of: name)) : WritableLibrary(path, checkingPages: false)
  }

  /// Opens the ledger for this run alone.
  package func store(_ sidecar: Sidecar) throws -> StateStore {
    let store = try StateStore(sidecar, rehearsing: store)
    // What is thrown away need not survive a power cut.
    try store.connection.execute("PRAGMA synchronous = OFF")
    return store
  }

  private func copy(_ library: String, _ look: () throws -> Void) throws {
    let before = WritableLibrary.fileState(library)
    try look()
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

  private func takeStore(of library: String) throws {
    guard let sidecar = try SidecarFolder(of: library), let state = try sidecar.state() else { return }
    if sidecar.root.entry(SidecarFolder.stateName + "-journal") == .nothing { return store = state }
    // A run that was killed left it, or one works just now.
    let before = WritableLibrary.fileState(state)
    try sidecar.copyState(to: SidecarFolder(making: name))
    guard WritableLibrary.fileState(state) == before else { throw changed(library) }
  }

  private func changed(_ library: String) -> RunFailure {
    RunFailure(
      .locked, "read library '\(library)': another program wrote to it meanwhile",
      advice: "Close the app and run it again.")
  }
}

/// A copy of a library and of what lies beside it that commands need, on which everything can be tried; gone afterwards.
package final class LibraryDouble {
  /// The copied library.
  package let path: String
  private let folder: TemporaryFolder

  /// Copies.
  /// - Throws: `RunFailure`: 2 when it cannot be read or there is no room, 7 when another program writes to it.
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
