import Diagnostics
import Interchange
import SQLiteIO
import SQLiteLibrary

/// What bringing a library to today's schema means, table by table, before anything is done.
public struct MigrationPlan: Sendable, Equatable {
  /// What becomes of one table.
  public struct TableChange: Sendable, Equatable {
    /// The app's name for it.
    public let table: String
    /// How many rows it has; all of them are kept.
    public let rows: Int
    /// Whether the library does not have the table yet.
    public let isNew: Bool
    /// Columns that it gets, at their defaults.
    public let addedColumns: [String]
    /// Columns of an early build that take today's names, old and new.
    public let renamedColumns: [Renaming]
    /// Rows whose creator is all zeros, which is how the old schema said nobody; NULL says it today.
    public let creatorsToNobody: Int

    /// Whether the table stays as it is.
    public var isUnchanged: Bool {
      !isNew && addedColumns.isEmpty && renamedColumns.isEmpty && creatorsToNobody == 0
    }
  }

  /// A column that takes another name.
  public struct Renaming: Sendable, Equatable {
    /// What it is called.
    public let from: String
    /// What it will be called.
    public let to: String
  }

  /// The version found; nil when no migration is listed.
  public let from: String?
  /// Today's version.
  public let to: String
  /// The app's own steps that lead there, in order.
  public let steps: [String]
  /// Every table, in the app's order.
  public let tables: [TableChange]
  /// Tables and columns that the app does not know; they are kept as they are.
  public let unknown: [String]
  /// What has to be repaired before; `doctor --repair` does.
  public let problems: [String]

  /// Sizes and times of the files that it was made from.
  let fileState: [Int]

  /// Whether the library has today's schema already.
  public var isEmpty: Bool { steps.isEmpty && problems.isEmpty && tables.allSatisfy { $0.renamedColumns.isEmpty } }

  /// Looks at a library.
  /// - Throws: `SQLiteError` when it cannot be read, `RunFailure` when it is newer than this FleetKit.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, file: String) throws {
    try schema.refuseComputed("migrate '\(file)'")
    if schema.isNewer {
      throw RunFailure(
        .newer,
        "migrate '\(file)': a newer app wrote it (\(schema.unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    fileState = WritableLibrary.fileState(file)
    let newest = try AppSchema.newest()
    from = schema.version
    to = newest.version
    steps = AppSchema.migrations.filter { !schema.migrations.contains($0) }
    var tables: [TableChange] = []
    var unknown = schema.unknownTables.map { "table \($0)" }
    let hasZeroCreators = !schema.migrations.contains("v1.9.0_makeCreatorIDNullable")
    for table in AppSchema.contentTables {
      let columns = newest.columns[table] ?? []
      guard let present = schema.tables[table] else {
        tables.append(
          TableChange(
            table: table, rows: 0, isNew: true, addedColumns: [], renamedColumns: [], creatorsToNobody: 0))
        continue
      }
      let map = TableMaps.all.first { $0.table == table }
      unknown += map.map(schema.unknownColumns)?.map { "column \(table).\($0)" } ?? []
      var renamed: [Renaming] = []
      for column in map?.columns ?? [] {
        if let old = column.oldColumn, present.contains(old), !present.contains(column.column) {
          renamed.append(Renaming(from: old, to: column.column))
        }
      }
      let zeros =
        hasZeroCreators && present.contains("creatorID")
        ? try connection.number("SELECT count(*) FROM \"\(table)\" WHERE creatorID = ?", [Self.zero]) : 0
      tables.append(
        TableChange(
          table: table, rows: Int(try connection.number("SELECT count(*) FROM \"\(table)\"")), isNew: false,
          addedColumns: columns.filter { name in !present.contains(name) && !renamed.contains { $0.to == name } },
          renamedColumns: renamed, creatorsToNobody: Int(zeros)))
    }
    self.tables = tables
    self.unknown = unknown
    problems = try Self.problems(connection, schema, file: file)
  }

  static let zero = "00000000-0000-0000-0000-000000000000"

  /// What keeps the app, and us, from migrating.
  private static func problems(
    _ connection: SQLiteConnection, _ schema: LibrarySchema, file: String
  ) throws -> [String] {
    let log = DiagnosticLog()
    schema.report(to: log, file: file)
    var problems = log.kept.filter { $0.code == .migrationsIncomplete || $0.code == .columnMissing }.map(\.message)
    var violations: [String: Int] = [:]
    for row in try connection.rows("PRAGMA foreign_key_check") {
      violations["\(row[0] ?? "") that belong to rows of \(row[2] ?? "") which are not there", default: 0] += 1
    }
    problems += violations.sorted { $0.key < $1.key }.map { "\($0.value) row\($0.value == 1 ? "" : "s") of \($0.key)" }
    return problems
  }
}
