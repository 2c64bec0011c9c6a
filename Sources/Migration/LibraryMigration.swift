import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Migrates a library to the current schema and proves that nothing was lost.
///
/// ```swift
/// let migration = LibraryMigration("anyfleet.sqlite")
/// print(try migration.plan().steps)
/// let report = try migration.run()
/// ```
public struct LibraryMigration: Sendable {
  /// The library.
  public let library: String
  /// The path of a new file for the result; nil to change the library itself.
  public var output: String?
  /// Receives, at intervals, the current activity and its progress.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// The minimum size in bytes for which a library gets larger pages.
  package var largeFrom: Int64 = 64 << 20

  /// Prepares the migration of a library.
  public init(_ library: String) { self.library = library }

  /// The result of a migration.
  public struct Report: Sendable {
    /// The plan that was carried out.
    public let plan: MigrationPlan
    /// The path of the copy made before the migration; nil if the original was not changed.
    public let backup: String?
    /// The path of the result.
    public let target: String
    /// The size of the result in bytes.
    public let bytes: Int
    /// The duration of the migration in seconds.
    public let seconds: Double
  }

  /// Returns what a migration would do, without changing anything.
  /// - Throws: `RunFailure`: 2 if the library cannot be read, 6 if it is newer than this version of FleetKit.
  public func plan(checkingPages: Bool = true) throws -> MigrationPlan {
    let file = try LibraryFile(library, checkingPages: checkingPages)
    do {
      let plan = try MigrationPlan(file.connection, file.schema, file: library)
      try file.finishCheck()
      return plan
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }

  /// Migrates the library. Nothing is changed until the very end; then everything is changed in one step.
  /// - Parameter plan: the plan. A new plan is made if this is nil or the library has changed since the plan was made.
  /// - Throws: `RunFailure`: 4 if something must be repaired first, 5 if the proof fails, 7 if another program uses the
  ///   library, 2 for everything else. In these cases, nothing was changed.
  public func run(_ plan: MigrationPlan? = nil) throws -> Report {
    let started = Date()
    do {
      if let output { return try write(to: output, started) }
      return try migrateInPlace(plan, started)
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library)
    }
  }

  // MARK: Into a new file

  private func write(to output: String, _ started: Date) throws -> Report {
    let file = try LibraryFile(library)
    let plan = try MigrationPlan(file.connection, file.schema, file: library)
    try refuseProblems(plan)
    let target = try NewLibraryFile.reserve(output)
    do {
      try finish(upgrade(file.uri, Self.encoding(file.connection), file.schema, into: target.temporary))
      try file.finishCheck()
    } catch {
      target.discard()
      throw error
    }
    let bytes = try target.publish()
    return Report(
      plan: plan, backup: nil, target: output, bytes: bytes, seconds: Date().timeIntervalSince(started))
  }

  // MARK: In place

  private func migrateInPlace(_ planned: MigrationPlan?, _ started: Date) throws -> Report {
    let library = try WritableLibrary(self.library, checkingPages: false)
    let isCurrent = planned?.fileState == WritableLibrary.fileState(self.library)
    let plan =
      try (isCurrent ? planned : nil) ?? MigrationPlan(library.connection, library.schema, file: self.library)
    try refuseProblems(plan)
    if plan.isEmpty {
      return Report(plan: plan, backup: nil, target: self.library, bytes: 0, seconds: 0)
    }
    let store = try StateStore(library.sidecar)
    let run = try store.begin(MigrationRecord.command).id
    do {
      return try migrate(library, plan, run, store, started)
    } catch {
      try? store.recordState(.void, of: run)
      throw error
    }
  }

  private func migrate(
    _ library: WritableLibrary, _ plan: MigrationPlan, _ run: Int64, _ store: StateStore, _ started: Date
  ) throws -> Report {
    let from = plan.from ?? "unknown"
    let backups = LibraryBackups(library.sidecar)
    let backup = try library.backUp(reason: "migrate-\(from)", hashing: true) { try report("Backing up", $0, $1) }
    var isNeeded = false
    // If nothing was changed, the backup is useless.
    defer { if !isNeeded { backup.discard() } }
    let check = IntegrityCheck(path: self.library, access: .read, .foreign)
    let staging = try library.sidecar.part(.staging)
    defer { staging.remove("upgraded.sqlite") }
    let staged = staging.path("upgraded.sqlite")
    // Meanwhile, no connection can write to the library, including this run's own.
    let uri = "file:" + SQLiteConnection.uriPath(self.library) + "?mode=ro"
    let size = try library.connection.number("PRAGMA page_count") * library.connection.number("PRAGMA page_size")
    // A write-ahead log cannot hold pages of a different size.
    let largerPages = size >= largeFrom && library.hasRollbackJournal
    let upgraded = try upgrade(
      uri, Self.encoding(library.connection), library.schema, into: staged, largerPages: largerPages)
    if let complaint = try check.wait() {
      throw RunFailure(
        .failed, "migrate '\(self.library)': the file is damaged (\(complaint)); nothing was changed",
        advice: LibraryFile.damageAdvice(self.library))
    }
    try backup.finish()
    let detail = MigrationRecord(
      from: from, to: plan.to, after: try upgraded.fingerprint.wait(), backup: try backup.sha256()
    ).text
    isNeeded = true
    let name = (backup.path as NSString).lastPathComponent
    try store.intend(run, backup: name, detail: detail)
    // The last pages, which complete the change, are written only after the proof.
    try library.replaceAll(with: staged, beforeCommit: { try finish(upgraded) }) { try report("Writing", $0, $1) }
    try store.recordState(.done, of: run)
    backups.rotate(keeping: backup.path)
    return Report(
      plan: plan, backup: backup.path, target: self.library, bytes: FileRead.size(of: self.library) ?? 0,
      seconds: Date().timeIntervalSince(started))
  }

  /// An upgraded file whose rows have been compared, and the checks that still run on other threads.
  private struct Upgraded {
    let fingerprint: Background<String>
    let pages: Background<String?>
  }

  /// Makes the upgraded file and compares its rows. The caller waits for the rest of the proof with `finish`.
  private func upgrade(
    _ source: String, _ encoding: String, _ schema: LibrarySchema, into path: String, largerPages: Bool = false
  ) throws -> Upgraded {
    var count = 0
    let total = 2 * AppSchema.contentTables.count + 1
    func step(_ what: String) throws {
      try report("Upgrading and comparing", count, total)
      count += 1
    }
    let upgrade = try LibraryUpgrade(
      into: path, from: source, encoding: encoding, largerPages: largerPages, schema)
    try upgrade.run { try step($0) }
    // The hash is computed on another core while the rows are compared on this one.
    let fingerprint = Background { try DatabaseContentHash.of(path) }
    let pages = Background {
      _ = try? fingerprint.wait()
      return try NewLibraryCheck.thoroughComplaint(path)
    }
    if let problem = try UpgradeCheck(upgrade).firstProblem({ try step($0) }) { throw unproved(problem) }
    return Upgraded(fingerprint: fingerprint, pages: pages)
  }

  /// Waits for the end of the proof.
  private func finish(_ upgraded: Upgraded) throws {
    if let complaint = try upgraded.pages.wait() { throw unproved("the new file is damaged (\(complaint))") }
  }

  private func unproved(_ problem: String) -> RunFailure {
    RunFailure(
      .mismatch, "migrate '\(library)': the upgraded copy failed its check: \(problem); nothing was changed",
      advice: "Please report this.")
  }

  private func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }

  private static func encoding(_ connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? "UTF-8"
  }

  private func refuseProblems(_ plan: MigrationPlan) throws {
    guard let first = plan.problems.first else { return }
    let more = plan.problems.count > 1 ? ", and \(plan.problems.count - 1) more" : ""
    throw RunFailure(
      .refused, "migrate '\(library)': \(first)\(more); nothing was changed",
      advice: "Run 'fleetkit doctor \(library) --repair' first; the app cannot migrate it either.")
  }
}

/// The record of a migration in the ledger. It contains what is needed to undo the migration.
struct MigrationRecord {
  let from: String
  let to: String
  /// The `DatabaseContentHash` of the library after the migration.
  let after: String
  /// The SHA-256 of the backup from before the migration; nil in records made by FleetKit before version 0.2.
  let backup: String?

  /// The command of migrations in the ledger.
  static let command = "migrate"

  init(from: String, to: String, after: String, backup: String) {
    self.from = from
    self.to = to
    self.after = after
    self.backup = backup
  }

  init?(_ text: String?) {
    guard let text, let root = (try? JSONDocument(parsing: text))?.root, let from = root["from"]?.string,
      let to = root["to"]?.string, let after = root["after"]?.string
    else { return nil }
    self.from = from
    self.to = to
    self.after = after
    backup = root["backup_sha256"]?.string
  }

  var text: String {
    let members = [("from", from), ("to", to), ("after", after), ("backup_sha256", backup ?? "")]
    var out = ByteBuffer(capacity: 256)
    for (name, value) in members {
      out.append(out.count == 0 ? "{" : ",")
      out.appendJSONString(name)
      out.append(":")
      out.appendJSONString(value)
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

/// Computes the hash of a database file. The hash covers every byte except those that SQLite changes on every write.
enum DatabaseContentHash {
  /// Offsets of the header's journal mode and counters: file change counter, schema cookie, version-valid-for and
  /// SQLite's version. These bytes are not part of the content.
  /// - Source: SQLite, "Database File Format", section 1.3
  static let counters = [18..<20, 24..<28, 40..<44, 92..<100]

  /// Returns the SHA-256 of a file that no connection of this process has open.
  /// - Throws: `RunFailure` if the file cannot be read.
  static func of(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    var hash = DigestStream()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var isFirst = true
    while true {
      let got = read(file, &buffer, buffer.count)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { break }
      if isFirst, got >= 100 {
        for range in counters { for index in range { buffer[index] = 0 } }
      }
      isFirst = false
      hash.update(buffer.span.extracting(0..<got))
    }
    return Digest.hex(hash.finish())
  }
}
