import Foundation
import GRDB
import RegistryStore

/// Checks the database file before it is opened, and creates a new one.
enum StoreFile {
  /// Checks whether a file can exist at the path, before anything is created there.
  /// - Throws: `StoreFailure.unavailable` when the folder does not exist, or when the path is itself a folder.
  static func checkPlace(_ path: String) throws(StoreFailure) {
    guard !path.isEmpty, !path.utf8.contains(0) else { return }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      if isFolder.boolValue { throw StoreProblem.folder(path: path) }
      return
    }
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? "."
    // A path directly below the root has an empty string before its slash.
    guard !folder.isEmpty else { return }
    let isThere = FileManager.default.fileExists(atPath: String(folder), isDirectory: &isFolder)
    if !isThere || !isFolder.boolValue { throw StoreProblem.noFolder(String(folder), path: path, isFile: isThere) }
  }

  /// Creates the file, readable only by its owner, when there is none; refuses files of other programs.
  ///
  /// The application id is written before the file becomes a WAL database. It is therefore in the header from the
  /// beginning, and a foreign file is recognized without SQLite changing a byte of it.
  static func prepare(_ path: String) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreFailure.unavailable("open the database: its path is empty or contains U+0000. Name a file.")
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreProblem.file(path, "open", errno: errno) }
    close(descriptor)
    let isNew = try checkHeader(path) == 0
    // The process that created the file may have ended before the file was complete: in that case SQLite rolls back the
    // id with the rest.
    if isNew || access(path + "-journal", F_OK) == 0 { try begin(path) }
    if !isNew { try checkSchema(path) }
  }

  /// Checks whether a file belongs to a registry, or is empty.
  /// - Returns: The number of bytes in its header: 100, or 0 when the file is empty or does not exist.
  @discardableResult
  static func checkHeader(_ path: String) throws -> Int {
    guard !path.isEmpty, !path.utf8.contains(0), access(path, F_OK) == 0 else { return 0 }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreProblem.file(path, "open", errno: errno) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = read(descriptor, &header, header.count)
    let code = errno
    close(descriptor)
    guard count >= 0 else { throw StoreProblem.file(path, "read", errno: code) }
    if count == 0 { return 0 }
    let id = header[68..<72].reduce(Int32(0)) { $0 << 8 | Int32($1) }
    guard count == 100, header.starts(with: Array("SQLite format 3\0".utf8)), id == StoreSchema.applicationID else {
      throw StoreProblem.foreign(path: path)
    }
    return count
  }

  private static func begin(_ path: String) throws {
    let queue = try StoreProfile.queue(path)
    try queue.inDatabase { try $0.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)") }
    try queue.close()
  }

  /// Refuses a file whose schema another program has changed, before any of its tables is read or written.
  private static func checkSchema(_ path: String) throws {
    let queue = try StoreProfile.queue(path)
    try queue.inDatabase { try StoreSchema.check($0, path: path) }
    try queue.close()
  }

  /// Makes the writer's connection durable. Called after the pool has opened the connection, because the pool sets a
  /// lower level (`NORMAL`: the last commits may be lost when the power fails).
  static func makeDurable(_ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
    // These settings are only for the writer's connection, which caches pages of every index. The write-ahead log is
    // moved into the file when it reaches 16 MiB, so that pages that many publications change are moved once for all of
    // them.
    try db.execute(sql: "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096")
    #if canImport(Darwin)
      try db.execute(sql: "PRAGMA fullfsync = ON")
    #endif
  }
}
