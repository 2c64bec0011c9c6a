import Dispatch
import Foundation
import GRDB
import RegistryStore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Checks the database file before it is opened, and creates a new one.
enum StoreFile {
  /// Checks whether a file can exist at the path, before anything is created there.
  /// - Throws: `StoreFailure.unavailable` if the folder does not exist, or if the path is itself a folder.
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

/// Keeps a second registry from opening a file for as long as the object lives.
///
/// The lock is an advisory lock (`flock`) on a separate file in the database's folder. It is released when the process
/// ends, however it ends, and is not inherited by programs that the process starts. The database file itself cannot be
/// locked this way: SQLite's own locks are dropped when any descriptor of the file is closed.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `StoreFailure.busy` if another process has the lock; `.unavailable` if the folder is not writable.
  init(forDatabase path: String) throws(StoreFailure) {
    let name = path + ".lock"
    let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreProblem.file(name, "lock", errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? StoreProblem.inUse(path: path) : StoreProblem.file(name, "lock", errno: code)
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

/// Rewrites the database file without the gaps in its pages.
///
/// When SQLite moves a row from one page to another, it leaves the old bytes in the gap, and they remain there after
/// the row is deleted, regardless of `secure_delete`. No other writes are possible during a rewrite, which takes about
/// a second for 64 MiB. All callers that ask during a rewrite share the next one.
final class FileRewriter: Sendable {
  private struct Asked {
    let ofAnySize: Bool
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var waiting: [Asked] = []
    var isAtWork = false
  }

  private let pool: DatabasePool
  private let atOnce: Int64
  private let queue = DispatchQueue(label: "registry.rewriter", qos: .utility)
  private let state = Mutex(State())

  /// - Parameter atOnce: the largest file size, in bytes, at which a file is rewritten regardless of the caller.
  init(_ pool: DatabasePool, atOnce: Int64) {
    self.pool = pool
    self.atOnce = atOnce
  }

  /// Rewrites the file.
  /// - Parameter ofAnySize: whether to rewrite a large file too; the rewrite then uses a temporary file instead of
  ///   memory.
  /// - Returns: Whether the file was rewritten.
  func rewrite(ofAnySize: Bool) async -> Bool {
    await withCheckedContinuation { answer in
      let begins = state.withLock { state in
        state.waiting.append(Asked(ofAnySize: ofAnySize, answer: answer))
        defer { state.isAtWork = true }
        return !state.isAtWork
      }
      if begins { queue.async { [self] in work() } }
    }
  }

  private func work() {
    while true {
      let asked = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isAtWork = false }
        return state.waiting
      }
      if asked.isEmpty { return }
      let isDone = (try? run(ofAnySize: asked.contains(where: \.ofAnySize))) ?? false
      for one in asked { one.answer.resume(returning: isDone) }
    }
  }

  private func run(ofAnySize: Bool) throws -> Bool {
    try pool.writeWithoutTransaction { db in
      let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      let size = pages * (try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
      guard size > atOnce else {
        try db.execute(sql: "VACUUM")
        return true
      }
      guard ofAnySize else { return false }
      try db.execute(sql: "PRAGMA temp_store = FILE")
      defer { try? db.execute(sql: "PRAGMA temp_store = MEMORY") }
      try db.execute(sql: "VACUUM")
      return true
    }
  }
}
