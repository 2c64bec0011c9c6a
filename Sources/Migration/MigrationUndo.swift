import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Restores a library to its state before its last migration, page by page.
public struct MigrationUndo: Sendable {
  /// The library.
  public let library: String
  /// Whether changes since the migration may be discarded. The library is backed up in any case.
  public var discardsChanges = false
  /// Receives, at intervals, the current activity and its progress.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares the undo for a library.
  public init(_ library: String) { self.library = library }

  /// The result of an undo.
  public struct Report: Sendable {
    /// The version that the library was restored to.
    public let version: String
    /// The backup that was restored.
    public let backup: String
    /// A copy of the library from just before the undo.
    public let saved: String
  }

  /// Restores the backup.
  /// - Throws: `RunFailure`: 4 if there is nothing to undo or the library has changed since the migration, 7 if another
  ///   program uses the library, 2 for everything else. In these cases, nothing was changed.
  public func run() throws -> Report {
    do {
      _ = try SourceProbe.head(of: Source(library), count: 1)
      guard try SidecarFolder(of: library)?.state() != nil else { throw nothing }
      let sidecar = try Sidecar(of: library)
      let store = try StateStore(sidecar)
      // This must come before SQLite opens the file, because opening it in another way would drop SQLite's locks.
      let now = try DatabaseContentHash.of(library)
      guard let (run, record, name) = try last(store, now) else { throw nothing }
      let backup = try self.backup(name, record, sidecar)
      if now != record.after, !discardsChanges, try !holdsUpgrade(of: backup, sidecar) {
        throw RunFailure(
          .refused,
          "undo the migration of '\(library)': it has changed since, and restoring \(record.from) would lose "
            + "the changes",
          advice:
            "Export it first, then repeat with --discard-changes; the backup is '\(backup)'. Nothing was changed.")
      }
      return try restore(backup, record, run, store, sidecar)
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library)
    }
  }

  /// Whether the library holds the result of the migration in different pages, because all later runs were undone.
  private func holdsUpgrade(of backup: String, _ sidecar: Sidecar) throws -> Bool {
    let before = try LibraryFile(backup, checkingPages: false)
    let now = try LibraryFile(library, checkingPages: false)
    let staging = try sidecar.part(.staging)
    defer { staging.remove("upgraded.sqlite") }
    let encoding = try before.connection.rows("PRAGMA encoding").first?.first.flatMap { $0 } ?? "UTF-8"
    let upgrade = try LibraryUpgrade(
      into: staging.path("upgraded.sqlite"), from: before.uri, encoding: encoding, largerPages: false, before.schema)
    var tables = 0
    try upgrade.run { _ in
      try report("Comparing with the backup", tables, AppSchema.contentTables.count + 1)
      tables += 1
    }
    return try LibraryContent.hash(upgrade.connection) == LibraryContent.hash(now.connection)
  }

  /// Returns the path of the backup if it is the file that the migration wrote.
  private func backup(_ name: String, _ record: MigrationRecord, _ sidecar: Sidecar) throws -> String {
    func refusal(_ why: String, _ advice: String? = nil) -> RunFailure {
      RunFailure(.refused, "undo the migration of '\(library)': \(why)", advice: advice)
    }
    guard let folder = try sidecar.folder.part(.backups), let file = try folder.file(name, O_RDONLY) else {
      throw refusal("the backup '\(sidecar.path)/backups/\(name)' is missing")
    }
    defer { close(file) }
    let path = folder.path(name)
    guard let expected = record.backup else {
      throw refusal(
        "an older FleetKit migrated it and did not record the hash of the backup '\(path)'",
        "Check the backup with 'fleetkit inspect', then copy it over the library.")
    }
    guard try FileDigest.sha256(of: file, named: path) == expected else {
      throw refusal("the backup '\(path)' is not the file that the migration wrote", "Find out what changed it.")
    }
    return path
  }

  /// Returns the library's last migration. A migration that was killed before it wrote anything does not count.
  private func last(_ store: StateStore, _ now: String) throws -> (run: Int64, record: MigrationRecord, backup: String)?
  {
    for run in try store.runs(command: MigrationRecord.command) where run.state == .done || run.state == .intended {
      guard let record = MigrationRecord(run.detail), let backup = run.backup else { continue }
      if run.state == .intended, now != record.after,
        try LibraryFile(library, checkingPages: false).schema.version == record.from
      {
        try store.recordState(.void, of: run.id)
        continue
      }
      return (run.id, record, backup)
    }
    return nil
  }

  private func restore(
    _ backup: String, _ record: MigrationRecord, _ run: Int64, _ store: StateStore, _ sidecar: Sidecar
  ) throws -> Report {
    let library = try WritableLibrary(self.library, sidecar: sidecar, checkingPages: false)
    if let complaint = try IntegrityCheck(path: backup, access: .readImmutable, .foreign).wait() {
      throw RunFailure(.mismatch, "undo the migration of '\(self.library)': the backup is damaged (\(complaint))")
    }
    let backups = LibraryBackups(sidecar)
    let saved = try library.backUp(reason: "undo-\(record.to)") { try report("Backing up", $0, $1) }
    try saved.finish()
    let own = try store.begin("undo", detail: #"{"undoes":\#(run)}"#).id
    try store.intend(own, backup: (saved.path as NSString).lastPathComponent)
    do {
      try library.replaceAll(with: backup) { try report("Writing", $0, $1) }
    } catch {
      try? store.recordState(.void, of: own)
      throw error
    }
    try store.recordState(.undone, of: run)
    try store.recordState(.done, of: own)
    backups.rotate(keeping: saved.path)
    return Report(version: record.from, backup: backup, saved: saved.path)
  }

  private func report(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }

  private var nothing: RunFailure {
    RunFailure(
      .refused, "undo the migration of '\(library)': there is no migration to undo",
      advice: "Backups of a library are in '\(Sidecar.path(of: library))/backups'.")
  }
}

/// The content of a database as one hash: every object of the schema and every value of every row, in the order of the
/// rows.
///
/// Files with the same content may have different bytes: an import that was undone leaves different pages behind. The
/// counters of `AUTOINCREMENT` are not part of the hash, because numbers that were assigned are never reused.
enum LibraryContent {
  /// Hashes a database in one pass over each table. Memory is bounded by the largest row.
  static func hash(_ connection: SQLiteConnection) throws(SQLiteError) -> String {
    var digest = DigestStream()
    var buffer = ByteBuffer(capacity: 1 << 16)
    for number in ["user_version", "application_id"] {
      buffer.append(utf8: "\(number) \(try connection.number("PRAGMA \(number)"))\n")
    }
    let objects = try connection.rows(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type, name
      """)
    for object in objects {
      for value in object { append(value, to: &buffer) }
    }
    let tables = try connection.rows(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    for table in tables {
      guard let name = table[0], !name.utf8.starts(with: "sqlite_".utf8) else { continue }
      append(name, to: &buffer)
      // A table without row numbers is read in the order of its key.
      let order = table[1] == "1" ? "" : " NOT INDEXED ORDER BY rowid"
      let rows = try connection.prepare(
        "SELECT * FROM \(RowCursor.quoted(name))\(order)", as: "read the table '\(name)'")
      while try rows.step() {
        for index in 0..<rows.columnCount { append(rows, index, to: &buffer) }
        if buffer.count > 1 << 16 { flush(&buffer, into: &digest) }
      }
    }
    flush(&buffer, into: &digest)
    return Digest.hex(digest.finish())
  }

  private static func append(_ text: String?, to buffer: inout ByteBuffer) {
    buffer.append(utf8: text.map { "t\($0.utf8.count):\($0)" } ?? "n")
  }

  private static func append(_ row: SQLiteStatement, _ index: Int, to buffer: inout ByteBuffer) {
    switch row.storage(at: index) {
    case .null: buffer.append("n")
    case .integer: buffer.append(utf8: "i\(row.integer(at: index));")
    case .real: buffer.append(utf8: "r\(row.double(at: index).bitPattern);")
    case .text:
      let bytes = row.bytes(at: index)
      buffer.append(utf8: "t\(bytes.count):")
      buffer.append(bytes.span)
    case .blob:
      let bytes = row.blob(at: index)
      buffer.append(utf8: "b\(bytes.count):")
      buffer.append(bytes.span)
    }
  }

  private static func flush(_ buffer: inout ByteBuffer, into digest: inout DigestStream) {
    digest.update(buffer.bytes.span)
    buffer.removeAll()
  }
}
