import CSQLite
import Diagnostics
import Foundation
import Interchange
import SQLiteIO

/// An open library. Reading it does not change its files.
///
/// A library with a rollback journal is read in place under SQLite's shared lock. A library with a hot journal, or with
/// a write-ahead log that no process has open, is read through a private copy, because opening the original would
/// change it.
package final class LibraryFile {
  /// The library's name in messages.
  package let name: String
  package let connection: SQLiteConnection
  package let schema: LibrarySchema
  /// The file's size in bytes.
  package let size: Int
  /// The reason why the library was copied first; nil if it is read in place.
  package let copiedBecause: String?
  private let copy: PrivateCopy?
  private let check: IntegrityCheck?
  private let real: String
  private let access: SQLiteConnection.Access
  private var profile: SQLiteProfile { copy == nil ? .foreign : .own }
  /// Whether no other process can commit while this library is open, so that several connections see the same content.
  package let isFrozen: Bool

  /// Opens a library and starts checking it in the background.
  /// - Parameters:
  ///   - name: the name in messages, if it differs from the path.
  ///   - checkingPages: whether every page is checked; callers that read only the schema need no check.
  /// - Throws: `RunFailure` with status 2 if the file is not a readable library, and 7 if it is locked.
  package init(_ path: String, name: String? = nil, checkingPages: Bool = true) throws {
    let name = name ?? path
    self.name = name
    do {
      let size = try Self.sizeOfDatabase(path, name)
      self.size = size
      // The log and the journal are next to the file that the symbolic links point to.
      let path = Self.withoutLinks(path)
      let plan = try Self.plan(path)
      copiedBecause = plan.reason
      copy = try plan.reason.map { _ in try PrivateCopy(of: path) }
      let real = copy?.path ?? path
      self.real = real
      if copy != nil {
        // Opening the copy recovers its journal or log.
        let recovery = try SQLiteConnection(real, .write, .own)
        _ = try recovery.rows("SELECT count(*) FROM sqlite_schema")
        try recovery.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
      }
      let access: SQLiteConnection.Access = copy != nil || plan.immutable ? .readImmutable : .read
      self.access = access
      let profile: SQLiteProfile = copy == nil ? .foreign : .own
      isFrozen = !plan.isShared
      connection = try SQLiteConnection(real, access, profile)
      // All reads see the same snapshot.
      try connection.execute("BEGIN")
      schema = try LibrarySchema.read(connection, file: name)
      check = checkingPages ? IntegrityCheck(path: real, access: access, profile) : nil
    } catch let error as SQLiteError {
      throw Self.failure(error, name)
    }
  }

  private static func withoutLinks(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let real = realpath(path, nil) else {
      return path
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// Returns another connection that sees the same content, for use on another thread. Must only be called if
  /// `isFrozen`.
  package func anotherConnection() throws(SQLiteError) -> SQLiteConnection {
    let another = try SQLiteConnection(real, access, profile)
    // The first read takes the shared lock. This library's own connection already holds its lock, so no commit can have
    // happened in between.
    try another.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    return another
  }

  /// A closure that opens another connection for lookups, or returns nil if opening fails. The connection may see newer
  /// content than this library if another process writes to it.
  package var lookingConnection: @Sendable () -> SQLiteConnection? {
    let real = real
    let access = access
    let profile = profile
    let copy = copy
    // Keep the private copy until the last connection to it has been opened.
    return { withExtendedLifetime(copy) { try? SQLiteConnection(real, access, profile) } }
  }

  /// The file as an SQLite URI that another connection may attach while this library is open.
  package var uri: String {
    "file:" + SQLiteConnection.uriPath(real) + (access == .readImmutable ? "?mode=ro&immutable=1" : "?mode=ro")
  }

  /// Waits until the whole file is checked.
  /// - Throws: `RunFailure` with status 2 if the file is damaged.
  package func finishCheck() throws {
    let complaint: String?
    do throws(SQLiteError) {
      complaint = try check?.wait()
    } catch {
      throw Self.failure(error, name)
    }
    if let complaint {
      throw RunFailure(
        .failed, "read library '\(name)': the file is damaged (\(complaint)); nothing was written",
        advice: Self.damageAdvice(name))
    }
  }

  /// Converts an SQLite error into a message for the user.
  package static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    if error.isBusy {
      return RunFailure(
        .locked, "read library '\(path)': another program is writing to it",
        advice: "Close the app or wait until it has finished.")
    }
    if error.primary == SQLITE_NOTADB {
      return RunFailure(
        .failed, "read library '\(path)': not an SQLite database", advice: otherFileAdvice(path))
    }
    if error.isDamage {
      return RunFailure(
        .failed, "read library '\(path)': the file is damaged (\(error.message))", advice: damageAdvice(path))
    }
    return RunFailure(.failed, "read library '\(path)': \(error.message)")
  }

  /// Returns the advice for a damaged file. If the file has no side file, one may have been left behind when the
  /// library was copied.
  package static func damageAdvice(_ path: String) -> String {
    let name = (path as NSString).lastPathComponent
    let hasSideFile = ["-journal", "-wal"].contains { Foundation.access(path + $0, F_OK) == 0 }
    return "Copy it off the phone again"
      + (hasSideFile ? "" : ", with '\(name)-journal' or '\(name)-wal' if there is one")
      + ", or restore a backup; 'fleetkit doctor \(path) --recover NEW' saves what can still be read."
  }

  /// Returns the advice for a file that does not begin like an SQLite database.
  package static func otherFileAdvice(_ path: String) -> String {
    "Check that it is the right file. If it is, its beginning is damaged: 'fleetkit doctor \(path) --recover NEW' saves "
      + "what can still be read."
  }

  /// Returns the size of a file that begins like an SQLite database.
  /// - Throws: `RunFailure` with status 2 if the file is not a database.
  package static func sizeOfDatabase(_ path: String, _ name: String) throws -> Int {
    let head = try SourceProbe.head(of: Source(path), count: 100)
    var isFolder: ObjCBool = false
    if head.isEmpty, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw RunFailure(
        .failed, "read library '\(name)': this is a folder, not a library", advice: "Give the path of the file in it.")
    }
    if head.isEmpty {
      throw RunFailure(
        .failed, "read library '\(name)': the file is empty (0 bytes)",
        advice: "The app would start with an empty library here. Copy it off the phone again.")
    }
    guard head.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw RunFailure(
        .failed, "read library '\(name)': not an SQLite database", advice: otherFileAdvice(name))
    }
    return FileRead.size(of: path) ?? 0
  }

  /// Whether a library can be read in place and its file is complete: it has neither the journal of an interrupted
  /// write nor a write-ahead log.
  package static func isPlain(_ path: String) throws -> Bool {
    let plan = try plan(withoutLinks(path))
    return plan.reason == nil && !plan.immutable && !plan.isShared
  }

  /// Decides how to open the library without changing it or its side files.
  private static func plan(_ path: String) throws -> (reason: String?, immutable: Bool, isShared: Bool) {
    func size(_ suffix: String) -> Int { FileRead.size(of: path + suffix) ?? 0 }
    let head = try SourceProbe.head(of: Source(path), count: 100)
    let isWAL = head.count > 19 && head[18] == 2 && head[19] == 2
    if size("-journal") > 0, !SQLiteLocks.hasWriter(path) {
      return ("it has the journal of an interrupted write", false, false)
    }
    if isWAL || size("-wal") > 0 {
      if SQLiteLocks.hasWALUser(path) { return (nil, false, true) }
      // Without a log, the file is complete. Opening it in WAL mode would create side files.
      if size("-wal") == 0 { return (nil, true, false) }
      return ("it has a write-ahead log that no program has open", false, false)
    }
    return (nil, false, false)
  }
}

/// The properties of a library file that `inspect` reports.
public struct LibraryOverview: Sendable {
  /// The newest schema version whose migration has run; nil if none is listed.
  public let schemaVersion: String?
  /// The migrations that have run, in order.
  public let migrations: [String]
  /// Whether a newer version of the app wrote the library.
  public let isNewer: Bool
  /// The file's size in bytes.
  public let bytes: Int
  /// The number of rows of each table, in the app's order, with unknown tables last.
  public let rows: [(table: String, count: Int)]
  /// The journal mode, `delete` or `wal`.
  public let journalMode: String
  /// The size of a page in bytes.
  public let pageSize: Int

  init(_ source: Source) throws {
    let library = try LibraryFile(source.path)
    schemaVersion = library.schema.version
    migrations = library.schema.migrations
    isNewer = library.schema.isNewer
    bytes = library.size
    do throws(SQLiteError) {
      var rows: [(table: String, count: Int)] = []
      for table in AppSchema.contentTables + library.schema.unknownTables where library.schema.tables[table] != nil {
        let count = try library.connection.number("SELECT count(*) FROM \(RowCursor.quoted(table))")
        rows.append((table, Int(count)))
      }
      self.rows = rows
      journalMode =
        library.copiedBecause == nil
        ? try library.connection.rows("PRAGMA journal_mode").first?.first.flatMap { $0 } ?? "" : "recovered"
      pageSize = Int(try library.connection.number("PRAGMA page_size"))
    } catch {
      throw LibraryFile.failure(error, source.path)
    }
    try library.finishCheck()
  }
}
