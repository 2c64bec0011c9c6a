import Content
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary
import SQLiteRecovery

/// Makes records for the quarantine from rows that may be deleted or old.
///
/// All of these records are private, because publishing them is a separate decision. Operations of the queue become
/// foreign records, so that none of them is ever sent.
struct UncertainRecords {
  let store: RecoveryStore
  let schema: RecoverySchema
  /// The path of the damaged library.
  let library: String

  /// The maximum number of versions of one row that are kept.
  private static let versions = 64

  /// Returns all uncertain records: a bundle with the first version of each row, a bundle with the second versions, and
  /// so on.
  func bins() throws -> [QuarantineWriter] {
    for number in schema.tables.indices { try order(number) }
    var bins: [QuarantineWriter] = []
    while bins.count < Self.versions, let bin = try bin(bins.count + 1) { bins.append(bin) }
    return bins
  }

  /// Counts the versions of each row.
  private func order(_ number: Int) throws {
    try store.connection.execute(
      """
      CREATE TABLE u\(number) AS
        SELECT seq, row_number() OVER (PARTITION BY c0 ORDER BY seq) AS version
        FROM r\(number) WHERE state = \(RecoveryStore.State.uncertain.rawValue);
      CREATE INDEX u\(number)_version ON u\(number) (version);
      """)
  }

  /// Reads the rows of one version as a separate library; nil if there are no such rows.
  private func bin(_ version: Int) throws -> QuarantineWriter? {
    let bin = try QuarantineWriter()
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(folder.path + "/uncertain.sqlite", .create, .own)
    try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
    var reasons: [LibraryScan.Row: String] = [:]
    var rowCount = 0
    for (number, table) in schema.tables.enumerated() {
      let isQueue = table.name == "sync_queue"
      let name = RowCursor.quoted(isQueue ? "uncertain_sync_queue" : table.name)
      let columns = table.columns.map(RowCursor.quoted).joined(separator: ", ")
      try connection.execute("CREATE TABLE \(name) (\(columns))")
      if table.name == "grdb_migrations" {
        for step in schema.app.steps {
          let insert = try connection.prepare("INSERT INTO grdb_migrations VALUES (?)")
          insert.bind(step, at: 1)
          try insert.run()
        }
        continue
      }
      let marks = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
      let insert = try connection.prepare("INSERT INTO \(name) VALUES (\(marks))")
      let chosen = "seq IN (SELECT seq FROM u\(number) WHERE version = \(version))"
      try store.rows(number, chosen) { row in
        let values = RecoveryStore.values(row, table.columns.count)
        for (index, value) in values.enumerated() {
          let isVisibility = table.columns[index] == "visibility"
          RecoveryStore.bind(isVisibility ? .text(Array("private".utf8)) : value, insert, at: index + 1)
        }
        try insert.run()
        rowCount += 1
        guard case .text(let id)? = values.first, let origin = row.text(at: 2) else { return }
        reasons[LibraryScan.Row(table: table.name, id: String(decoding: id, as: UTF8.self))] =
          Self.reason(origin, page: row.integer(at: 3))
      }
    }
    guard rowCount > 0 else { return nil }
    try connection.execute("COMMIT")
    let layout = try LibrarySchema.read(connection, file: library)
    try LibraryScan(connection, layout, file: library).run { found in
      let reason = found.rows.lazy.compactMap { reasons[$0] }.first ?? "uncertain"
      try bin.add(found.line, because: reason)
    }
    try LibraryScan(connection, layout, file: library).foreign { try bin.add($0, because: "uncertain") }
    return bin
  }

  private static func reason(_ origin: String, page: Int64) -> String {
    switch RecoveryOrigin(rawValue: origin) {
    case .freelist: "uncertain: found on page \(page), which is free; it was deleted or moved"
    case .unreachablePage: "uncertain: found on page \(page), which no other page refers to"
    case .damagedPage: "uncertain: found on page \(page), which is damaged"
    case .uncommitted: "uncertain: found in a change of page \(page) that was never committed"
    case .olderVersion: "uncertain: found in an older version of page \(page)"
    case .tree, nil: "uncertain: another row of page \(page) has its id"
    }
  }
}
